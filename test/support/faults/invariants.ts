import { strayId } from '#core/identity.ts';
import { isInFlight } from '#core/job.ts';
import { parseMessage } from '#core/message.ts';
import { peek } from './clients.ts';
import type { Asked, Lab } from './lab.ts';
import type { Rest } from './settle.ts';

/** G8: a job in flight holds its slot at every moment, also while nothing was repaired yet. */
export const inFlightWithoutSlot = async (lab: Lab, jobs: Rest['jobs']): Promise<readonly string[]> => {
  const inFlight = [...jobs.values()].filter(isInFlight);
  if (inFlight.length === 0) return [];
  const indexes = [...new Set(inFlight.map((job) => job.slot.shard))];
  const taken = new Set((await lab.world.slots.readShards(indexes)).flatMap((shard) => shard?.members ?? []));
  return inFlight
    .filter((job) => !taken.has(job.slot.token))
    .map((job) => `G8: ${job.id} is ${job.state} without a slot`);
};

/** What must hold in every history once it has settled, whatever the fault was. Returns what does not, in words. */
export const brokenInvariants = async (lab: Lab, rest: Rest): Promise<readonly string[]> => {
  const effects = await lab.effects();
  return [
    ...lab.asked.flatMap((asked) => brokenOfJob(lab, rest, asked, effects.get(asked.account))),
    ...(await brokenOfLetters(lab, rest)),
    ...brokenOfRegistry(rest),
  ];
};

const brokenOfJob = (
  lab: Lab,
  { jobs }: Rest,
  { submission, answers, amount }: Asked,
  effect: { readonly total: number; readonly writes: number } | undefined,
): readonly string[] => {
  const broken: string[] = [];
  const job = jobs.get(submission.id);
  // Another request under the same key has an entry of its own.
  const ours = job !== undefined && job.fingerprint === submission.fingerprint;
  for (const answer of answers) {
    if (answer.kind === 'threw') broken.push(`G2: a submission threw ${String(answer.error)}`);
    if (answer.kind !== 'answered' || answer.value.kind === 'refused') continue;
    if (answer.value.job.id !== submission.id) broken.push(`G4: the key led to ${answer.value.job.id}`);
    if (!ours) broken.push('G2: accepted or replayed, and no such record is there');
  }
  const writes = effect?.writes ?? 0;
  if (!ours) return writes === 0 ? broken : [...broken, 'G3: an effect of a request that has no job'];
  if (isInFlight(job)) broken.push(`G6: still ${job.state}`);
  const wanted = job.state === 'succeeded' ? 1 : 0;
  if (writes !== wanted) broken.push(`G3: ${writes} effects of a job that is ${job.state}`);
  if (writes === 1 && effect?.total !== amount) broken.push(`G3: credited ${effect?.total}`);
  const runs = lab.runs.filter((run) => run.id === submission.id);
  if (runs.some((run) => run.attempt > job.attemptsMax)) broken.push('G5: an attempt beyond the last');
  if (runs.length > job.starts) broken.push(`G5: ran ${runs.length} times in ${job.starts} starts`);
  if (job.starts > job.attemptsMax * (job.redrives + 1)) broken.push(`G5: ${job.starts} starts`);
  return broken;
};

/** The dead-letter queue right after a sweep: messages of dead jobs and recorded strays, and nothing else. */
const brokenOfLetters = async (lab: Lab, { jobs }: Rest): Promise<readonly string[]> => {
  const broken: string[] = [];
  const missing = new Map([...jobs].filter(([, job]) => job.state === 'dead'));
  const strays: string[] = [];
  for (const { body, messageId, attributes } of await peek(lab.resources.deadLetterQueueUrl)) {
    const parsed = parseMessage(body);
    const job = parsed.ok ? jobs.get(parsed.message.id) : undefined;
    if (parsed.ok && job?.fingerprint === parsed.message.fingerprint && parsed.message.tenure <= job.tenure) {
      missing.delete(job.id);
      const { tenure } = parsed.message;
      if (job.state !== 'dead' || tenure < job.tenure) broken.push(`G7: a letter of tenure ${tenure}, ${job.state}`);
    } else {
      strays.push(attributes['sluiceStray'] ?? strayId(messageId));
    }
  }
  const recorded = strays.length === 0 ? new Map() : await lab.world.store.readStrays(strays);
  if (strays.some((id) => !recorded.has(id))) broken.push('a stray is not recorded');
  for (const job of missing.values()) broken.push(`G7: ${job.id} is dead and has no letter`);
  return broken;
};

const brokenOfRegistry = ({ control, shards }: Rest): readonly string[] => {
  if (control === undefined) return [];
  const broken: string[] = [];
  const taken = shards.reduce((sum, shard) => sum + shard.members.length, 0);
  if (taken > 0) broken.push(`G8: ${taken} slots are taken and nothing is in flight`);
  const caps = shards.reduce((sum, shard) => sum + shard.cap, 0);
  if (caps > control.capacity) broken.push(`G1: caps of ${caps} at a capacity of ${control.capacity}`);
  // The first version's shards are created by their first users.
  if (control.version > 1 && caps < control.capacity) broken.push(`caps of ${caps} for ${control.capacity}`);
  if (control.dealtVersion !== control.version) broken.push(`version ${control.version} was never dealt`);
  return broken;
};
