import { readFileSync } from 'node:fs';
import type { EmulatorKind } from './engines/kind.ts';
import { emulatorRegion } from './places.ts';
import { reachableApiUrl } from './workarounds.ts';

/** Where a local deployment can be reached: what `.local/outputs.json` holds, and what system tests are given. */
export interface LocalOutputs {
  readonly endpointUrl: string;
  readonly emulator: EmulatorKind;
  readonly region: string;
  /** `${apiUrl}/jobs` takes jobs in. */
  readonly apiUrl: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly jobsTableName: string;
  readonly ledgerTableName: string;
  readonly apiFunctionName: string;
  readonly consumerFunctionName: string;
  readonly operatorFunctionName: string;
  readonly reconcileFunctionName: string;
  readonly eventSourceMappingId: string;
  readonly submitPolicyArn: string;
  readonly operatePolicyArn: string;
}

/** The outputs of one stack by their names, from the file that `cdk deploy --outputs-file` wrote. */
export const outputsOf = (file: string, stackName: string): ((name: string) => string) => {
  const written: Record<string, Record<string, string>> = JSON.parse(readFileSync(file, 'utf8'));
  return (name) => {
    const value = written[stackName]?.[name];
    if (value === undefined) throw new Error(`The deployed stack ${stackName} has no output ${name}.`);
    return value;
  };
};

/** Reads the file that `cdk deploy --outputs-file` wrote for a stack of ours. */
export const readStackOutputs = (
  file: string,
  stackName: string,
  endpointUrl: string,
  emulator: EmulatorKind = 'ministack',
): LocalOutputs => {
  const output = outputsOf(file, stackName);
  return {
    endpointUrl,
    emulator,
    region: emulatorRegion,
    apiUrl: reachableApiUrl(endpointUrl, output('ApiUrl'), emulator),
    queueUrl: output('QueueUrl'),
    deadLetterQueueUrl: output('DeadLetterQueueUrl'),
    jobsTableName: output('JobsTableName'),
    ledgerTableName: output('LedgerTableName'),
    apiFunctionName: output('ApiFunctionName'),
    consumerFunctionName: output('ConsumerFunctionName'),
    operatorFunctionName: output('OperatorFunctionName'),
    reconcileFunctionName: output('ReconcileFunctionName'),
    eventSourceMappingId: output('EventSourceMappingId'),
    submitPolicyArn: output('SubmitPolicyArn'),
    operatePolicyArn: output('OperatePolicyArn'),
  };
};
