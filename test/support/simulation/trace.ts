import { epoch } from '../memory/clock.ts';
import type { Actor, Timeline } from './timeline.ts';

/** What happened, a line an event, for people. Off unless asked for, since 20,000 histories need none. */
export class Trace {
  readonly lines: string[] = [];
  readonly #timeline: Timeline;
  readonly #on: boolean;

  constructor(timeline: Timeline, on: boolean) {
    this.#timeline = timeline;
    this.#on = on;
  }

  say(who: string, what: string): void {
    if (!this.#on) return;
    const seconds = ((this.#timeline.now - epoch) / 1000).toFixed(3).padStart(10);
    this.lines.push(`${seconds}  ${who.padEnd(14)} ${what}`);
  }

  call(actor: Actor, port: string, method: string, args: readonly unknown[], fate: string, result?: unknown): void {
    if (!this.#on) return;
    const marked = fate === 'fine' ? '' : `  !! ${fate}`;
    const answer = result === undefined ? '' : ` → ${brief(result)}`;
    this.say(actor.name, `${port}.${method}(${args.map(brief).join(', ')})${answer}${marked}`);
  }
}

const bodyMax = 110;

/** Jobs by id, state and attempt; tokens and owners by their beginning; everything else as short JSON. */
const brief = (value: unknown): string => {
  if (typeof value === 'string') return value.length > 20 ? `${value.slice(0, 6)}…${value.slice(-8, -4)}` : value;
  if (value instanceof Map) return `{${[...value.values()].map(brief).join(', ')}}`;
  if (Array.isArray(value)) return `[${value.map(brief).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  if ('state' in value && 'rev' in value) return briefJob(value as unknown as Record<string, unknown>);
  const inner = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${name}: ${brief(member)}`)
    .join(', ');
  return `{${inner.length > bodyMax ? `${inner.slice(0, bodyMax)}…` : inner}}`;
};

const briefJob = (job: Record<string, unknown>): string =>
  `${String(job['id']).slice(0, 6)} ${String(job['state'])} t${job['tenure']} a${job['attempt']} r${job['rev']}` +
  `${job['unsent'] ? ' unsent' : ''}`;
