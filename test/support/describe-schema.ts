import { type CreateTableCommandInput, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What makes an empty table like this one, but for its name: keys, attributes and indexes. */
export const describeSchema = async (dynamo: DynamoDBClient, TableName: string): Promise<CreateTableCommandInput> => {
  const { Table } = await dynamo.send(new DescribeTableCommand({ TableName }));
  const indexes = (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  return {
    TableName,
    KeySchema: Table?.KeySchema,
    AttributeDefinitions: Table?.AttributeDefinitions,
    BillingMode: 'PAY_PER_REQUEST',
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
};
