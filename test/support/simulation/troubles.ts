import type { Act } from './plan.ts';
import type { System } from './system.ts';

/** What happens around the system: queues that do what standard queues may do, strangers, and services that are away. */
export const trouble = async (system: System, act: Act): Promise<void> => {
  const { queue, timeline, faults } = system;
  switch (act.do) {
    case 'deliver-again': {
      const message = pick(queue.messages(), act.pick);
      if (message === undefined) return;
      queue.deliverAgain(message.messageId);
      break;
    }
    case 'hide-longer': {
      const message = pick(
        queue.messages().filter(({ receipt }) => receipt !== undefined),
        act.pick,
      );
      if (message?.receipt === undefined) return;
      await queue.setVisibility(message.receipt, act.pick);
      break;
    }
    case 'to-dead-letters': {
      // As if its receives had run ahead: a copy in the dead-letter queue, none in the main queue, whoever works on it.
      const message = pick(
        queue.messages().filter(({ receipt }) => receipt !== undefined),
        act.pick,
      );
      if (message?.receipt === undefined) return;
      await queue.bury(message.body, { reason: 'never-started' });
      queue.acknowledge(message.receipt);
      break;
    }
    case 'back-to-main':
      // SQS's own redrive, which knows nothing of jobs.
      for (const letter of await queue.receiveDead(30)) {
        queue.sendRaw(letter.body);
        await queue.deleteDead(letter.receipt);
      }
      break;
    case 'stray':
      if (act.dead) await queue.bury(act.body, { reason: 'unreadable' });
      else queue.sendRaw(act.body);
      break;
    case 'contention':
      faults.contendedUntil = timeline.now + act.forMs;
      break;
    case 'outage':
      faults.outages.push({ port: act.port, from: timeline.now, until: timeline.now + act.forMs });
      break;
  }
  system.trace.say('trouble', `${act.do}${'port' in act ? ` of ${act.port} for ${act.forMs} ms` : ''}`);
  system.onSend();
};

const pick = <T>(values: readonly T[], which: number): T | undefined => values[which % Math.max(1, values.length)];
