import { describe, expect, it } from 'vitest';
import { faultsInMemory, type MemoryCriterion, memoryRows, type Sample } from '../soak/support/memory.ts';

const criterion: MemoryCriterion = { from: 100, to: 400, growthMbMax: 10 };

/** A sample every two seconds, from the start to the end of a process. */
const samplesOf = (mbAt: (at: number) => number, { pid = 1, from = 0, to = 400, memoryMb = 512 } = {}): Sample[] =>
  Array.from({ length: (to - from) / 2 }, (_, i) => {
    const at = from + i * 2;
    return { at, pid, functionName: 'consumer', residentMb: mbAt(at), memoryMb };
  });

/** What a collector does: up by 30 MB in half a minute, and down again. */
const sawtooth = (at: number): number => 90 + (at % 30);

describe('memory', () => {
  it('that goes up and down with the collector is flat, also after a warm-up that grows', () => {
    expect(
      faultsInMemory(
        samplesOf((at) => sawtooth(at) + Math.min(at, 100)),
        criterion,
        ['consumer'],
      ),
    ).toEqual([]);
  });

  it('that grows beneath the collector by 3 MB a minute is not', () => {
    const leaking = samplesOf((at) => sawtooth(at) + at / 20);
    expect(faultsInMemory(leaking, criterion, ['consumer'])).toHaveLength(1);
  });

  it('of one process among flat ones counts', () => {
    const samples = [...samplesOf(sawtooth, { pid: 2 }), ...samplesOf((at) => 90 + at / 10)];
    expect(faultsInMemory(samples, criterion, ['consumer'])).toEqual([
      expect.stringMatching(/^process 1 of consumer grew from/),
    ]);
  });

  it('may still take a step of some MB', () => {
    expect(
      faultsInMemory(
        samplesOf((at) => (at < 250 ? 81 : 88)),
        criterion,
        ['consumer'],
      ),
    ).toEqual([]);
  });

  it('above what the function was given is a fault at any time', () => {
    const high = samplesOf(() => 300, { to: 20, memoryMb: 256 });
    expect(faultsInMemory(high, { ...criterion, from: 0, to: 20 }, [])).toHaveLength(1);
  });

  it('cannot be judged by processes that did not live through the time', () => {
    const short = [...samplesOf(sawtooth, { to: 300 }), ...samplesOf(sawtooth, { pid: 2, from: 80 })];
    expect(memoryRows(short, criterion)).toEqual([]);
    expect(faultsInMemory(short, criterion, ['consumer'])).toEqual([
      'no process of consumer lived through the judged time',
    ]);
  });
});
