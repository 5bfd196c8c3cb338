import { jobPaths } from './job-paths.ts';
import { jobSchemas } from './job-schemas.ts';
import { operatorPaths } from './operator-paths.ts';
import { operatorSchemas } from './operator-schemas.ts';
import { problemExamples, problemMeanings, problemSchemas } from './problems.ts';
import { requestSchemas } from './request-schemas.ts';

const description = `Bounded, idempotent background jobs.

Errors are problem details (RFC 9457) with a \`code\`. Unknown members, options and query names are refused with 400. Beside
the errors of each call: \`route-not-found\` (404, ${problemMeanings['route-not-found']}) and \`method-not-allowed\` (405,
${problemMeanings['method-not-allowed']})`;

const document = {
  openapi: '3.0.3',
  info: {
    title: 'Sluice',
    version: '1.0.0',
    description,
    license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT' },
  },
  servers: [
    {
      url: 'https://{api}.execute-api.{region}.amazonaws.com/v1',
      description: 'The stack’s output ApiUrl.',
      variables: { api: { default: 'abcdef1234' }, region: { default: 'eu-west-1' } },
    },
  ],
  tags: [
    { name: 'jobs', description: 'For submitters: their own jobs.' },
    { name: 'operator', description: 'For operators: the system, and all jobs.' },
  ],
  security: [{ sigv4: [] }],
  paths: { ...jobPaths, ...operatorPaths },
  components: {
    securitySchemes: {
      sigv4: {
        type: 'apiKey',
        name: 'Authorization',
        in: 'header',
        description: 'AWS Signature Version 4 for the service execute-api. IAM decides who may call what.',
        'x-amazon-apigateway-authtype': 'awsSigv4',
      },
    },
    examples: problemExamples(),
    schemas: { ...jobSchemas, ...problemSchemas, ...operatorSchemas, ...requestSchemas },
  },
};

/** The OpenAPI document as it lies in `openapi.json`. */
export const openApiText = (): string => `${JSON.stringify(document, null, 2)}\n`;
