import { describe, expect, it } from 'vitest';
import { type Ask, judge as judgeWith } from '../../bench/contention/refusals.ts';

/* What judges thousands of refusals must itself be able to say no. */

const memoryMs = 100;
const judge = (asks: readonly Ask[], room: number) => judgeWith(asks, room, memoryMs);

const held = (writer: number, from: number, to: number): Ask => ({
  writer,
  from,
  to: from + 1,
  answer: 'taken',
  looked: true,
  calls: 1,
  freed: { from: to - 1, to },
});
const refused = (writer: number, from: number, to: number, looked = true): Ask => ({
  writer,
  from,
  to,
  answer: 'refused',
  looked,
  calls: looked ? 1 : 0,
});

describe('a refusal', () => {
  it('is right while all slots are held', () => {
    expect(judge([held(1, 0, 100), held(2, 0, 100), refused(3, 50, 60)], 2)).toMatchObject({ full: 1, inError: 0 });
  });

  it('is right if the last slot may have been free for only a part of its time', () => {
    expect(judge([held(1, 0, 55), refused(2, 50, 60)], 1)).toMatchObject({ full: 1, inError: 0 });
    expect(judge([held(1, 55, 90), refused(2, 50, 60)], 1)).toMatchObject({ full: 1, inError: 0 });
  });

  it('is in error if all that others did meanwhile was to be refused elsewhere', () => {
    const late = { ...held(1, 0, 90), triedAt: 70 };
    expect(judge([late, refused(2, 50, 60)], 1)).toMatchObject({ full: 0, inError: 1 });
    expect(judge([{ ...late, triedAt: 55 }, refused(2, 50, 60)], 1)).toMatchObject({ full: 1, inError: 0 });
  });

  it('is in error if a slot was free all along', () => {
    expect(judge([held(1, 0, 49), held(2, 61, 90), refused(3, 50, 60)], 1)).toMatchObject({ full: 0, inError: 1 });
    expect(judge([refused(1, 50, 60), refused(2, 50, 60)], 1)).toMatchObject({ full: 0, inError: 2 });
  });

  it('from memory is by design if the last look of the same instance found all taken, and in error if not', () => {
    const full = [held(1, 0, 49), refused(3, 40, 45)];
    expect(judge([...full, refused(3, 70, 70, false)], 1)).toMatchObject({ full: 1, remembered: 1, inError: 0 });
    expect(judge([...full, refused(4, 70, 70, false)], 1)).toMatchObject({ full: 1, remembered: 0, inError: 1 });
    const tooLate = refused(3, 46 + memoryMs, 46 + memoryMs, false);
    expect(judge([...full, tooLate], 1)).toMatchObject({ full: 1, remembered: 0, inError: 1 });
    const lookedAgain = [...full, { ...held(3, 60, 65) }];
    expect(judge([...lookedAgain, refused(3, 70, 70, false)], 2)).toMatchObject({ remembered: 0 });
  });
});

it('what is held at once is counted from the answer of the take to the beginning of the freeing', () => {
  expect(judge([held(1, 0, 10), held(2, 5, 20), held(3, 8, 30)], 2).mostHeld).toBe(3);
  expect(judge([held(1, 0, 10), held(2, 10, 20)], 2).mostHeld).toBe(1);
});

it('a failed ask may hold its slot to the end', () => {
  const failed: Ask = { writer: 1, from: 0, to: 5, answer: 'failed', looked: true, calls: 1 };
  expect(judge([failed, refused(2, 50, 60)], 1)).toMatchObject({ full: 1, inError: 0 });
});
