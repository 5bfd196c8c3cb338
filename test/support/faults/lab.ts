import { randomBytes } from 'node:crypto';
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoReconcilerMemory } from '#adapters/dynamo-reconciler-memory.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { MappingSwitch } from '#adapters/mapping-switch.ts';
import { makeRunOnce } from '#adapters/run-once.ts';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemRandom } from '#adapters/system-world.ts';
import type { Job } from '#core/job.ts';
import { type Limits, productionLimits } from '#core/limits.ts';
import { checkSubmission, type Submission } from '#core/submission.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import { cancelJob } from '#flow/cancel.ts';
import { discard } from '#flow/discard.ts';
import { changeIntake } from '#flow/intake.ts';
import { changeCapacity } from '#flow/operate.ts';
import { type ReconcilerWorld, reconcile } from '#flow/reconcile.ts';
import { type RedriveRequest, redrive } from '#flow/redrive.ts';
import { SlotView } from '#flow/slot-view.ts';
import { type Submitted, submit } from '#flow/submit.ts';
import type { OperatorWorld } from '#flow/world.ts';
import type { Telemetry } from '#functions/ports.ts';
import { TelemetryRecorder } from '../memory/telemetry.ts';
import type { Place } from '../workers/place.ts';
import { openRegistry } from '../workers/registry.ts';
import { Actor, type Ran, type Stage } from './actor.ts';
import { dynamo, freshResources, lambdaWith, peek, sqs } from './clients.ts';
import { MovedClock } from './clock.ts';
import type { Fault } from './fault.ts';
import { forgetQueue, Holds, holdQueue, showDue } from './held-back.ts';
import type { Injection } from './injection.ts';
import { type AskOptions, type FaultyPayload, faultyJobs, faultyType, Gate } from './job.ts';

type Everything = ConsumerWorld & ReconcilerWorld & OperatorWorld;

/** One submission as its caller knows it: what was asked for, and what was answered so far. */
export interface Asked {
  readonly submission: Submission;
  readonly account: string;
  readonly amount: number;
  readonly answers: Ran<Submitted>[];
}

const bulk = { limit: 50, ratePerSecond: undefined, dryRun: false, after: undefined, actor: 'test' };
const lambda = await lambdaWith('Enabled');

/** The whole system in this process, on real adapters, with table, queues and clock of its own. */
export class Lab {
  readonly clock = new MovedClock();
  readonly gate = new Gate();
  readonly runs: { readonly id: string; readonly attempt: number }[] = [];
  readonly asked: Asked[] = [];
  readonly recorder = new TelemetryRecorder();
  readonly holds = new Holds(() => this.clock.now());
  readonly #deadHolds = new Holds(() => this.clock.now());
  readonly resources: Place;
  readonly world: Everything;
  readonly injections: Injection[] = [];
  readonly story: string[] = [];
  #stage: Stage;
  #named = new Map<string, number>();

  private constructor(resources: Place, limits: Limits, telemetry: Telemetry | undefined) {
    this.resources = resources;
    this.#stage = this.#without();
    const config = {
      client: dynamo,
      jobsTable: resources.jobsTableName,
      jobTables: { ledger: resources.ledgerTableName },
      random: systemRandom,
    };
    this.world = {
      store: new DynamoJobStore(config),
      slots: new DynamoSlotRegistry(config),
      queue: new SqsJobQueue({ client: sqs, ...resources }),
      clock: this.clock,
      random: systemRandom,
      telemetry: telemetry ?? this.recorder,
      limits,
      consumer: new MappingSwitch({ client: lambda, mappingId: 'the deployed one is not asked' }),
      memory: new DynamoReconcilerMemory(config),
      registry: faultyJobs(this.runs, this.gate),
      runOnce: makeRunOnce(dynamo),
      log: () => ({ info: () => undefined, warn: () => undefined }),
    };
    holdQueue(resources.queueUrl, this.holds);
    holdQueue(resources.deadLetterQueueUrl, this.#deadHolds);
  }

  static async make(limits: Partial<Limits> = {}, telemetry?: Telemetry): Promise<Lab> {
    const all = { ...productionLimits, capacity: 20, ...limits };
    return new Lab(await freshResources(all.attemptsMax, all.visibilitySeconds), all, telemetry);
  }

  close(): void {
    forgetQueue(this.resources.queueUrl);
    forgetQueue(this.resources.deadLetterQueueUrl);
  }

  /** The registry as it is after the first use, so that a scenario's own calls are those of every day. */
  openForUse(): Promise<void> {
    return openRegistry(this.world.slots, this.world.limits.capacity);
  }

  /** From here on calls are counted, and meet the fault if there is one. */
  beginAct(fault: Fault | undefined): void {
    this.#named = new Map();
    this.#stage = { ...this.#without(), fault };
    this.story.push('--- act');
  }

  /** Returns the calls since the act began. */
  endAct(): { readonly calls: readonly string[]; readonly fired: boolean } {
    const { calls, fired } = this.#stage;
    this.#stage = this.#without();
    this.story.push('--- settle');
    return { calls, fired };
  }

  /** What one process does. */
  async actor<T>(role: string, work: () => Promise<T>): Promise<Ran<T>> {
    const nth = (this.#named.get(role) ?? 0) + 1;
    this.#named.set(role, nth);
    await showDue(sqs, this.resources.deadLetterQueueUrl, this.#deadHolds.over());
    return new Actor(`${role} ${nth}`, this.#stage).run(work);
  }

  /** A new caller's request; it is not sent yet. */
  request({ key = randomBytes(8).toString('hex'), amount = 7, options, ...script }: AskOptions = {}): Asked {
    const account = `a-${randomBytes(8).toString('hex')}`;
    return this.#ask(key, { account, amount, ...script }, options);
  }

  /** Another request under the key of this one. */
  sameKey(asked: Asked): Asked {
    return this.request({ key: asked.submission.key, amount: asked.amount + 1 });
  }

  #ask(key: string, payload: FaultyPayload, options: AskOptions['options']): Asked {
    const checked = checkSubmission(
      {
        scope: '000000000000/faults',
        contentType: 'application/json',
        idempotencyKey: key,
        body: JSON.stringify({ type: faultyType, payload, ...(options && { options }) }),
      },
      (type) => this.world.registry.get(type)?.check,
    );
    if (!checked.ok) throw new Error(`the test's own request is refused: ${checked.problem.code}`);
    return { submission: checked.value, account: payload.account, amount: payload.amount, answers: [] };
  }

  /** One try of a caller, on an instance of the API that has seen nothing yet, unless another is given. */
  async submit(asked: Asked, view = new SlotView(this.world)): Promise<Ran<Submitted>> {
    if (!this.asked.includes(asked)) this.asked.push(asked);
    const answer = await this.actor('submit', () => submit(this.world, view, asked.submission, this.clock.now()));
    asked.answers.push(answer);
    return answer;
  }

  async accepted(options?: AskOptions, view?: SlotView): Promise<Asked> {
    if (this.asked.length === 0) await this.openForUse();
    const asked = this.request(options);
    const answer = await this.submit(asked, view);
    if (answer.kind !== 'answered' || answer.value.kind !== 'accepted')
      throw new Error(`the preparation was refused: ${JSON.stringify(answer)}`);
    return asked;
  }

  reconcile() {
    const end = this.clock.now() + this.world.limits.reconcilerTimeoutSeconds * 1000;
    return this.actor('reconcile', () => reconcile(this.world, () => end - this.clock.now()));
  }

  redrive(which: RedriveRequest['which']) {
    const end = this.#operatorEnd();
    return this.actor('redrive', () =>
      redrive(this.world, new SlotView(this.world), { ...bulk, which, force: false }, () => end - this.clock.now()),
    );
  }

  changeCapacity(capacity: number) {
    return this.actor('capacity', () => changeCapacity(this.world, capacity, 'test'));
  }

  discard(which: RedriveRequest['which']) {
    const end = this.#operatorEnd();
    return this.actor('discard', () => discard(this.world, { ...bulk, which }, () => end - this.clock.now()));
  }

  cancel({ submission }: Asked) {
    return this.actor('cancel', () => cancelJob(this.world, submission.id, submission.scope, 'test'));
  }

  changeIntake(state: 'open' | 'closed', mode?: 'drain' | 'cancel') {
    const until = this.#operatorEnd();
    return this.actor('intake', () => changeIntake(this.world, { state, mode, actor: 'test' }, until));
  }

  #operatorEnd(): number {
    return this.clock.now() + this.world.limits.operatorTimeoutSeconds * 1000;
  }

  async sendRaw(body: string, to = this.resources.queueUrl): Promise<void> {
    await sqs.send(new SendMessageCommand({ QueueUrl: to, MessageBody: body }));
  }

  /** The bodies in the dead-letter queue, each once, sorted. */
  async letters(): Promise<readonly string[]> {
    return [...new Set((await peek(this.resources.deadLetterQueueUrl)).map((letter) => letter.body))].toSorted();
  }

  job(asked: Asked): Promise<Job | undefined> {
    return this.world.store.read(asked.submission.id);
  }

  /** The records of all that was asked for, as far as there are any. */
  async jobs(): Promise<ReadonlyMap<string, Job>> {
    const ids = this.asked.map((asked) => asked.submission.id);
    return ids.length === 0 ? new Map() : this.world.store.readMany(ids);
  }

  /** What the ledger says of the accounts of all that was asked for. */
  async effects(): Promise<ReadonlyMap<string, { readonly total: number; readonly writes: number }>> {
    const accounts = [...new Set(this.asked.map((asked) => asked.account))];
    if (accounts.length === 0) return new Map();
    const Keys = accounts.map((account) => ({ account: { S: account } }));
    const { Responses } = await dynamo.send(
      new BatchGetItemCommand({ RequestItems: { [this.resources.ledgerTableName]: { Keys, ConsistentRead: true } } }),
    );
    const items = Responses?.[this.resources.ledgerTableName] ?? [];
    return new Map(
      items.map((item) => [item['account']?.S ?? '', unmarshall(item) as { total: number; writes: number }]),
    );
  }

  #without(): Stage {
    return { fault: undefined, injections: this.injections, calls: [], story: this.story, fired: false };
  }
}
