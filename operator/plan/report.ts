import type { Io } from '../cli/io.ts';
import { count } from '../cli/render/bar.ts';
import { fields, table } from '../cli/render/table.ts';
import type { Plan } from './plan.ts';
import { ramps } from './quotas.ts';
import type { Strain } from './strain.ts';

const digits = (n: number, max: number): number => Number(n.toPrecision(max));
const share = (part: number): string => {
  if (part === 0) return 'none';
  return part < 0.001 ? `1 in ${count(digits(1 / part, 1))}` : `${figure(part * 100)} %`;
};
const seconds = (s: number): string => (s < 1 ? `${Math.round(s * 1000)} ms` : `${s.toFixed(1)} s`);
const used = (part: number): string => (part < 0.001 ? '< 0.1 %' : share(part));
const figure = (n: number): string => count(n < 10 ? Number(n.toFixed(1)) : Math.round(n));
const dollars = (n: number): string => `$${figure(n)}`;

/** The answer over some lines. */
export const planLines = (io: Io, plan: Plan): readonly string[] => {
  const { settings, expected, demand, bill, simulated } = plan;
  const [first] = plan.quotas;
  const tooMuch = plan.quotas.filter(({ use, limit, raisable }) => use > limit && !raisable);
  const part = (title: string, lines: readonly string[]) => ['', io.paint('bold', title), ...lines];
  return [
    ...fields(io, [
      ['capacity', `${count(settings.capacity)}, in ${count(settings.shards)} shards`],
      ['consumerConcurrencyMax', `${count(settings.consumerConcurrencyMax)}, batches of up to ${settings.batchSize}`],
      ['requestsPerSecond', `${count(settings.requestsPerSecond)} or more`],
      [
        'Refused',
        expected.refusedShare === 0
          ? `none seen, below ${share(expected.refusedShareMax)}`
          : share(expected.refusedShare),
      ],
      ['Time in queue', `p50 ${seconds(expected.waitP50Seconds)}, p99 ${seconds(expected.waitP99Seconds)}`],
      ['In flight', `${figure(expected.inFlightMean)} on average`],
      ['Attempts', `${expected.attemptsPerJob.toFixed(3)} a job, dead: ${share(expected.deadShare)}`],
      [
        'Batches',
        `${expected.jobsPerBatch.toFixed(1)} jobs each, full ones can do ${expected.timesTheLoad.toFixed(1)} times the load`,
      ],
      ['Dollars', `${dollars(bill.dollarsPerMonth)} a month, ${dollars(bill.dollarsPerMillionJobs)} a million jobs`],
      ['Breaks first', first && `${first.what}, at about ${figure(digits(first.breaksAtPerSecond, 2))} jobs a second`],
      ['Beyond one stack', io.paint('red', tooMuch.map(({ what }) => what).join('; '))],
    ]),
    ...part(
      `Quotas, as read on ${plan.quotasReadOn}`,
      table<Strain>(io, plan.quotas, [
        { title: 'what', cell: ({ what }) => what },
        { title: 'use', cell: ({ use }) => figure(use) },
        { title: 'quota', cell: ({ limit, unit }) => `${count(limit)} ${unit}` },
        {
          title: 'used',
          cell: ({ use, limit }) => used(use / limit),
          paint: (text, { use, limit }) => (use > limit ? io.paint('red', text) : text),
        },
        { title: 'breaks at', cell: ({ breaksAtPerSecond }) => `${figure(digits(breaksAtPerSecond, 2))}/s` },
        { title: 'AWS raises it', cell: ({ raisable }) => (raisable ? 'yes' : 'no') },
      ]),
    ),
    ...part(
      'Dollars a month',
      table(io, bill.lines, [
        { title: 'what', cell: ({ what }) => what },
        { title: 'dollars', cell: ({ dollarsPerMonth }) => dollars(dollarsPerMonth) },
      ]),
    ),
    ...part('Going up from nothing', [
      `The mapping reaches its concurrency after ${seconds(plan.ramp.consumerSeconds)}; until then jobs wait.`,
      ...(plan.ramp.tableIsWarm
        ? []
        : [
            `A new table takes ${count(ramps.tableFirstWrites)} write units a second at once, and ${figure(demand.writes.jobs)} are needed: warm it up.`,
          ]),
    ]),
    ...part(
      'Not known here',
      plan.unknown.map((line) => `- ${line}`),
    ),
    '',
    io.paint(
      'dim',
      `Simulated: ${count(simulated.jobs)} jobs after a warm-up, ${simulated.runs} runs, seed ${simulated.seed}${simulated.scale === 1 ? '' : `, at 1/${count(simulated.scale)} of the size, which errs to the safe side`}.`,
    ),
  ];
};
