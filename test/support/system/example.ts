import { rmSync } from 'node:fs';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { inject } from 'vitest';
import { deployAssembly } from '../../../localstack/deploy.ts';
import { outputsOf } from '../../../localstack/outputs.ts';
import { emulatorCredentials, localDirectory } from '../../../localstack/places.ts';
import { synthesizeLocal } from '../../../localstack/synth.ts';
import { reachableApiUrl } from '../../../localstack/workarounds.ts';
import { ApiClient } from './client.ts';

type Item = Readonly<Record<string, string | number>>;

/** An app of examples/, deployed. */
export interface Example {
  readonly api: ApiClient;
  readonly output: (name: string) => string;
  readonly item: (table: string, key: Item) => Promise<Record<string, unknown> | undefined>;
  readonly putItem: (table: string, item: Item) => Promise<void>;
}

/** Deploys an app of examples/ beside the stack of this test run. */
export const deployExample = async (app: string, stackName: string): Promise<Example> => {
  const { endpointUrl, region } = inject('localOutputs');
  const outDir = `${localDirectory}/${stackName}-${process.pid}`;
  const dynamo = new DynamoDBClient({ endpoint: endpointUrl, region, credentials: emulatorCredentials });
  try {
    const file = await deployAssembly(await synthesizeLocal({}, app), [stackName], { endpointUrl, outDir });
    const output = outputsOf(file, stackName);
    return {
      output,
      api: new ApiClient(reachableApiUrl(endpointUrl, output('ApiUrl'))),
      item: async (TableName, key) => {
        const { Item } = await dynamo.send(new GetItemCommand({ TableName, Key: marshall(key), ConsistentRead: true }));
        return Item && unmarshall(Item);
      },
      putItem: async (TableName, item) => {
        await dynamo.send(new PutItemCommand({ TableName, Item: marshall(item) }));
      },
    };
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
};
