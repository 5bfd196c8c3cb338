import type { Evidence, GaugeName, MetricName } from '#core/evidence.ts';
import type { Telemetry } from '#functions/ports.ts';
import { copyOf } from './copy.ts';

/** Keeps all evidence in its order, so that a test can ask whether each step left exactly its one note. */
export class TelemetryRecorder implements Telemetry {
  readonly notes: Evidence[] = [];
  readonly gauges: { readonly name: GaugeName; readonly value: number }[] = [];

  note(evidence: Evidence): void {
    this.notes.push(copyOf(evidence));
  }

  gauge(name: GaugeName, value: number): void {
    this.gauges.push({ name, value });
  }

  /** How often a metric was noted; with a code or a job only those notes. */
  count(metric: MetricName, of: { readonly code?: string; readonly jobId?: string } = {}): number {
    return this.of(metric).filter(
      (note) => (of.code === undefined || note.code === of.code) && (of.jobId === undefined || note.jobId === of.jobId),
    ).length;
  }

  of(metric: MetricName): readonly Evidence[] {
    return this.notes.filter((note) => note.metric === metric);
  }

  /** What one job left, in order, as `Metric:code`. */
  trail(jobId: string): readonly string[] {
    return this.notes.filter((note) => note.jobId === jobId).map((note) => `${note.metric}:${note.code}`);
  }

  lastGauge(name: GaugeName): number | undefined {
    return this.gauges.findLast((gauge) => gauge.name === name)?.value;
  }

  clear(): void {
    this.notes.length = 0;
    this.gauges.length = 0;
  }
}
