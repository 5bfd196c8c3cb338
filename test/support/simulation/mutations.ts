import { evenCaps } from '#core/capacity.ts';
import type { Control } from '#core/control.ts';
import type { RunningJob } from '#core/job.ts';
import type { Message } from '#core/message.ts';
import type { Shard, Slot } from '#core/slot.ts';
import { transition } from '#core/transition.ts';
import type { World } from '#flow/world.ts';
import type { StartWrite } from '#functions/ports.ts';
import { type Mutation, onQueue, onSlots, onStore, unguarded } from './mutation.ts';

export const mutations: readonly Mutation[] = [
  {
    name: 'the finish has no owner condition',
    alter: (world, _role, behind) => {
      const raw = unguarded(behind);
      return onStore(world, {
        finish: async (from, to, writes, unlessCancelled) => {
          const finished = await world.store.finish(from, to, writes, unlessCancelled);
          return finished.kind === 'fenced' ? raw.finishAnyway(from, to, writes) : finished;
        },
      });
    },
  },
  {
    name: 'the start reads, and then writes',
    alter: (world, _role, behind) => {
      const raw = unguarded(behind);
      return onStore(world, {
        start: async (message: Message, { now, owner, leaseUntil, attempt }: StartWrite) => {
          const job = await world.store.read(message.id);
          const next = job && transition(job, { type: 'start', now, owner, leaseUntil }, world.limits);
          const may = job?.fingerprint === message.fingerprint && job.tenure === message.tenure && job.losses === 0;
          if (!may || job.attempt !== attempt || !next?.ok) return { kind: 'refused', job };
          await raw.put(next.job);
          return { kind: 'started', job: next.job as RunningJob };
        },
      });
    },
  },
  {
    name: 'the effect is a write of its own before the finish',
    alter: (world, _role, behind) => {
      const raw = unguarded(behind);
      return onStore(world, {
        finish: async (from, to, writes, unlessCancelled) => {
          if (writes.length > 0) await raw.effects(from, writes);
          return world.store.finish(from, to, [], unlessCancelled);
        },
      });
    },
  },
  {
    name: 'the effect is a write of its own after the finish',
    alter: (world, _role, behind) => {
      const raw = unguarded(behind);
      return onStore(world, {
        finish: async (from, to, writes, unlessCancelled) => {
          const finished = await world.store.finish(from, to, [], unlessCancelled);
          if (finished.kind === 'saved' && writes.length > 0) await raw.effects(from, writes);
          return finished;
        },
      });
    },
  },
  {
    name: 'a start does not wait until the job is due',
    alter: (world) =>
      onStore(world, {
        start: async (message, start) => {
          const begun = await world.store.start(message, start);
          return begun.kind === 'refused' && begun.job?.state === 'retrying'
            ? { ...begun, job: { ...begun.job, nextAttemptAt: 0 } }
            : begun;
        },
      }),
  },
  {
    name: 'a lease is not waited for',
    alter: (world) =>
      onStore(world, {
        start: async (message, start) => {
          const begun = await world.store.start(message, start);
          return begun.kind === 'refused' && begun.job?.state === 'running'
            ? { ...begun, job: { ...begun.job, leaseUntil: 0 } }
            : begun;
        },
      }),
  },
  {
    name: 'a slot is freed by counting',
    alter: (world, _role, behind) =>
      onSlots(world, {
        free: async (shard, tokens) => {
          const members = behind.slots.shards().find(({ index }) => index === shard)?.members ?? [];
          const gone = tokens.filter((token) => !members.includes(token));
          await world.slots.free(shard, [...tokens, ...members.slice(0, gone.length)]);
        },
      }),
  },
  {
    name: 'a slot is freed by job id',
    alter: (world, _role, behind) =>
      onSlots(world, {
        free: async (shard, tokens) => {
          const ids = new Set(tokens.map((token) => token.slice(0, 32)));
          const members = behind.slots.shards().find(({ index }) => index === shard)?.members ?? [];
          await world.slots.free(
            shard,
            members.filter((token) => ids.has(token.slice(0, 32))),
          );
        },
      }),
  },
  {
    name: 'a slot is taken by what was seen',
    alter: (world, _role, { through, slots: base }) => {
      const raw = through('slots', {
        /** Adds the token whatever is there, in one step: the cap is out of the way meanwhile. */
        force: async (slot: Slot, shard: Shard) => {
          const now = base.shards().find(({ index }) => index === slot.shard) ?? shard;
          await base.writeShard({ ...now, open: true, cap: 1_000 }, now);
          await base.take(slot);
          await base.writeShard({ ...now }, { cap: 1_000, version: now.version });
        },
      });
      return onSlots(world, {
        take: async (slot) => {
          const [shard] = await world.slots.readShards([slot.shard]);
          if (shard === undefined || !shard.open || shard.members.length >= shard.cap) return world.slots.take(slot);
          await raw.force(slot, shard);
          return 'taken';
        },
      });
    },
  },
  {
    name: 'a lowered capacity has no zero phase',
    alter: (world) =>
      onSlots(world, {
        writeShard: async (next, read) => {
          const there = (await world.slots.readShards([next.index]))[0];
          const control = await world.slots.readControl();
          const share = control && evenCaps(control.capacity, control.shards)[next.index];
          if (next.cap === 0 && share !== 0 && there !== undefined) return { kind: 'written', shard: there };
          return world.slots.writeShard(next, read);
        },
      }),
  },
  {
    name: 'caps are raised while others are still being lowered',
    alter: (world) => {
      let control: Control | undefined;
      return onSlots(world, {
        changeControl: async (next) => {
          const changed = await world.slots.changeControl(next);
          if (changed) control = next;
          return changed;
        },
        writeShard: (next, read) => {
          const share = control && evenCaps(control.capacity, control.shards)[next.index];
          return world.slots.writeShard(share === undefined ? next : { ...next, cap: share }, read);
        },
      });
    },
  },
  {
    name: 'an overtaken change answers as if it were done',
    alter: (world) => {
      let overtaken = false;
      return onSlots(world, {
        writeShard: async (next, read) => {
          const written = overtaken ? undefined : await world.slots.writeShard(next, read);
          if (written !== undefined && written.kind !== 'superseded') return written;
          overtaken = true;
          return { kind: 'written', shard: { ...next, members: [] } };
        },
      });
    },
  },
  {
    name: 'the reconciler does not sweep',
    alter: (world, role) => (role === 'reconciler' ? onQueue(world, { receiveDead: async () => [] }) : world),
  },
  { name: 'there is no reconciler', noReconciler: true },
  {
    name: 'an accepted job is not sent',
    alter: (world, role) => (role === 'api' ? onQueue(world, { send: async () => undefined }) : world),
  },
  {
    name: 'what is missing is not sent again',
    alter: (world, role) => (role === 'reconciler' ? onQueue(world, { send: async () => undefined }) : world),
  },
  {
    name: 'messages are acknowledged first, and nothing is sent again',
    acknowledgeFirst: true,
    alter: (world, role) => (role === 'reconciler' ? onQueue(world, { send: async () => undefined }) : world),
  },
  {
    name: 'a redrive keeps the tenure',
    alter: (world) =>
      onStore(world, {
        save: (from, to) => world.store.save(from, from.state === 'dead' ? { ...to, tenure: from.tenure } : to),
      }),
  },
  {
    name: 'a redrive takes no slot',
    alter: (world, role) =>
      role === 'operator'
        ? onSlots(world, { take: async () => 'taken' as const, takeMany: async () => 'taken' as const })
        : world,
  },
  {
    name: 'a submission overwrites what is there',
    alter: (world, _role, behind) => {
      const raw = unguarded(behind);
      return onStore(world, {
        insert: async (job) => {
          await raw.put(job);
          return { kind: 'inserted' };
        },
      });
    },
  },
  {
    name: 'tokens without a record are freed at once',
    alter: (world, role) => (role === 'reconciler' ? { ...world, limits: impatient(world.limits) } : world),
  },
];

const impatient = (limits: World['limits']): World['limits'] => ({ ...limits, orphanTokenSeconds: -2 });
