import { type StatusAnswer, statusAnswer } from './answers.ts';
import { plain } from './render/plain.ts';
import type { Session, Told } from './session.ts';

const lookEveryMs = 1_000;
/** Looks in a row that may fail before it is given up: what was asked for goes on without us. */
const failuresMax = 5;

export const readStatus = (session: Session): Promise<Told<StatusAnswer>> =>
  session.call(statusAnswer, 'GET', '/operator/status');

/** Looks at the status, beginning with one that is there, until it fits or the time is over; resolves to the last one. */
export const pollStatus = async (
  session: Session,
  first: Told<StatusAnswer>,
  fits: (status: StatusAnswer) => boolean,
  timeoutSeconds: number,
  onLook: (status: StatusAnswer) => void = () => undefined,
): Promise<Told<StatusAnswer>> => {
  const until = session.io.now() + timeoutSeconds * 1000;
  let answer = first;
  let failures = 0;
  while (!fits(answer.body)) {
    onLook(answer.body);
    if (session.io.now() >= until) break;
    await session.io.wait(lookEveryMs);
    try {
      answer = await readStatus(session);
      failures = 0;
    } catch (error) {
      if (++failures === failuresMax) throw error;
      session.io.note(plain(error instanceof Error ? error.message : error));
    }
  }
  return answer;
};
