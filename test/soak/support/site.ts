import type { LocalOutputs } from '../../../localstack/outputs.ts';
import type { Relay } from '../../drills/support/relay.ts';

/** A deployed stack that the soak has for itself. */
export interface SoakSite {
  readonly outputs: LocalOutputs;
  readonly emulatorPid: number;
  /** What its functions reach SQS and DynamoDB through, if that can be cut. */
  readonly relays?: { readonly sqs: Relay; readonly dynamodb: Relay };
}
