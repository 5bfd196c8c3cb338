import { describe, expect, it } from 'vitest';
import { Deployment } from '#test/support/simulation/deployment.ts';

describe('the sweep of the dead-letter queue', () => {
  it('sees what lies behind more messages than one sweep looks at', async () => {
    const system = new Deployment(() => ({}));
    const { sweepMessagesMax, reconcilerPeriodSeconds } = system.limits;
    for (let i = 0; i < 2 * sweepMessagesMax; i += 1) await system.queue.bury(`stays ${i}`, { reason: 'unreadable' });
    await system.queue.bury('the last one', { reason: 'unreadable' });
    let strays = 0;
    for (let run = 0; run < 4; run += 1) {
      await system.reconcile();
      strays = system.telemetry.count('Strays', { code: 'unreadable' });
      await system.clock.advance(reconcilerPeriodSeconds * 1000);
    }
    expect(strays).toBe(2 * sweepMessagesMax + 1);
  });
});
