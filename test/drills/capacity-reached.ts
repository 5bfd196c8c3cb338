import { defineDrill } from './support/drill.ts';
import { effect, tally } from './support/texts.ts';

const burst = 12;
const capacity = 5;

/** More submissions at once than there are slots: the surplus is refused in words, and nothing else happens to it. */
export const capacityReached = defineDrill({
  name: 'capacity-reached',
  title: 'a burst above the capacity',
  site: 'shared',
  quick: true,
  expected: {
    answers: `202 × ${capacity}, 429 queue-full × ${burst - capacity}`,
    'the refusal says': 'what to do, and to come back within 1 to 5 s',
    'slots taken while full': String(capacity),
    'replay of an accepted key while full': '200, the same job',
    'after the resume': `succeeded × ${capacity}`,
    effects: `${capacity} in ${capacity} writes`,
    'a refused key when there is room': '202, its own job',
  },
  run: async (bench) => {
    const { system } = bench;
    const payload = { account: bench.account(), amount: 1 };
    await system.setConsumer('paused');
    await system.setCapacity(capacity);
    bench.fault(`${burst} submissions at once against a capacity of ${capacity}, with nobody consuming`);
    const answers = await Promise.all(
      Array.from({ length: burst }, (_, i) => system.submit(bench.key(i), 'ledger.credit', payload)),
    );
    const { slots } = await bench.look('during');
    const accepted = answers.findIndex((answer) => answer.status === 202);
    const refused = answers.findIndex((answer) => answer.status === 429);
    const refusal = answers[refused];
    const replay = await system.submit(bench.key(accepted), 'ledger.credit', payload);
    await system.setConsumer('running');
    const ids = answers.flatMap((answer) => (answer.status === 202 ? [answer.body.id] : []));
    const done = await Promise.all(ids.map((id) => system.reaches(id, 'succeeded')));
    const effects = effect(await system.ledger(payload.account));
    await system.statusFits('room again', (status) => status.inFlight.total === 0);
    // An instance may say "full" from what it saw up to a second ago; a refusal uses the key up no more than before.
    const again = await secondChance(() => system.submit(bench.key(refused), 'ledger.credit', payload));
    const inWords = /Nothing was accepted; send the same request with the same key again/.test(
      refusal?.body.detail ?? '',
    );
    const inTime = /^[1-5]$/.test(refusal?.headers.get('retry-after') ?? '');
    return {
      answers: tally(answers.map(({ status, body }) => (status === 202 ? status : `${status} ${body.code}`))),
      'the refusal says':
        inWords && inTime ? 'what to do, and to come back within 1 to 5 s' : JSON.stringify(refusal?.body),
      'slots taken while full': String(slots),
      'replay of an accepted key while full': `${replay.status}, ${replay.body.id === answers[accepted]?.body.id ? 'the same job' : 'another job'}`,
      'after the resume': tally(done.map((job) => job.state)),
      effects,
      'a refused key when there is room': `${again.status}, ${ids.includes(again.body.id) ? 'of another key' : 'its own job'}`,
    };
  },
});

const secondChance = async <T extends { readonly status: number; readonly headers: Headers }>(
  ask: () => Promise<T>,
): Promise<T> => {
  const first = await ask();
  if (first.status !== 429) return first;
  // What a client does: it waits as it was told.
  const seconds = Number(first.headers.get('retry-after') ?? 1);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  return ask();
};
