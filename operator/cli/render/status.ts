import type { StatusAnswer } from '../answers.ts';
import type { Colour, Io } from '../io.ts';
import { bar, count } from './bar.ts';
import { plain } from './plain.ts';
import { fields } from './table.ts';
import { since } from './time.ts';

const paintIf = (io: Io, odd: boolean, text: string, colour: Colour = 'yellow'): string =>
  odd ? io.paint(colour, text) : text;

/** The intake, with how far a drain has come. */
export const intakeText = (io: Io, { intake, drain }: StatusAnswer): string => {
  const state = paintIf(io, intake !== 'open', plain(intake));
  if (drain === undefined) return state;
  const until =
    drain.until === undefined || intake !== 'draining' ? '' : `, until ${plain(since(drain.until, io.now()))}`;
  const waiting = drain.waitingFor === undefined ? '' : `, waiting for: ${plain(drain.waitingFor)}`;
  return `${state} (${count(drain.left)} left${until}${waiting})`;
};

const splitText = ({ queued, running, retrying }: StatusAnswer['inFlight']): string =>
  queued === null
    ? 'too many in flight to tell them apart'
    : `queued ${count(queued)}, running ${count(running ?? 0)}, retrying ${count(retrying ?? 0)}`;

/** The system as it stands, over a few lines. */
export const statusLines = (io: Io, status: StatusAnswer): readonly string[] => {
  const { capacity, inFlight, backlog, dead, consumer } = status;
  const full = inFlight.total >= capacity;
  const messages = backlog.visible + backlog.notVisible + backlog.delayed;
  return fields(io, [
    ['Intake', intakeText(io, status)],
    ['Consumer', paintIf(io, consumer !== 'running', plain(consumer))],
    [
      'Slots',
      paintIf(io, full, `${bar(inFlight.total, capacity)} ${count(inFlight.total)} of ${count(capacity)} taken`, 'red'),
    ],
    ['In flight', splitText(inFlight)],
    [
      'Backlog',
      paintIf(
        io,
        messages > capacity,
        `visible ${count(backlog.visible)}, being worked on ${count(backlog.notVisible)}, delayed ${count(backlog.delayed)}`,
      ),
    ],
    ['Dead', paintIf(io, dead > 0, `${count(dead)}${dead >= deadCountMax ? ' or more' : ''}`, 'red')],
  ]);
};

/** The API counts the dead up to this many. */
const deadCountMax = 10_000;

/** The same on one line, for logs and pipes. */
export const statusLine = (io: Io, status: StatusAnswer): string => {
  const { inFlight, backlog } = status;
  return [
    new Date(io.now()).toISOString(),
    `intake=${plain(status.intake)}`,
    `consumer=${plain(status.consumer)}`,
    `slots=${inFlight.total}/${status.capacity}`,
    `queued=${inFlight.queued ?? '?'} running=${inFlight.running ?? '?'} retrying=${inFlight.retrying ?? '?'}`,
    `visible=${backlog.visible} notVisible=${backlog.notVisible} delayed=${backlog.delayed}`,
    `dead=${status.dead}`,
    ...(status.drain ? [`left=${status.drain.left}`] : []),
  ].join(' ');
};
