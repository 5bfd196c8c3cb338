import { readFileSync } from 'node:fs';
import { emulatorRegion } from './places.ts';
import { reachableApiUrl } from './workarounds.ts';

/** Where a local deployment can be reached: what `.local/outputs.json` holds, and what system tests are given. */
export interface LocalOutputs {
  readonly endpointUrl: string;
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

/** Reads the file that `cdk deploy --outputs-file` wrote for one stack. */
export const readStackOutputs = (file: string, stackName: string, endpointUrl: string): LocalOutputs => {
  const written: Record<string, Record<string, string>> = JSON.parse(readFileSync(file, 'utf8'));
  const output = (name: string): string => {
    const value = written[stackName]?.[name];
    if (value === undefined) throw new Error(`The deployed stack ${stackName} has no output ${name}.`);
    return value;
  };
  return {
    endpointUrl,
    region: emulatorRegion,
    apiUrl: reachableApiUrl(endpointUrl, output('ApiUrl')),
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
