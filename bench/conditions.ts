import { cpus, loadavg, totalmem } from 'node:os';

/** What a figure was taken on; taken before the run, as the load is the machine's own then. */
export const conditionsNow = (): Record<string, string | number> => ({
  date: new Date().toISOString().slice(0, 10),
  processor: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
  'load at the start': loadavg()[0]?.toFixed(1) ?? '',
  node: process.version,
  emulator: 'MiniStack 1.5.33',
});
