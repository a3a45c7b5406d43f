import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { commands } from '../../commands/index.ts';
import { queries } from '../../queries/index.ts';
import { StoredRecord } from '../../src/builds/build.ts';
import { eventDefinitions } from '../../src/domain/index.ts';
import { historyQuestions } from '../../src/history/operations/index.ts';
import { adminInterface } from '../../src/http/admin-interface.ts';

describe('The schemas', () => {
  const ajv = new Ajv2020();
  const schemas: Readonly<Record<string, readonly object[]>> = {
    'the build registry': [StoredRecord],
    ...Object.fromEntries(eventDefinitions.map(({ type, data }) => [type, [data]])),
    ...Object.fromEntries(
      [...commands, ...adminInterface.operations].map(({ name, params, body }) => [name, [params, body]]),
    ),
    ...Object.fromEntries(
      queries.map(({ name, params, parameters, response }) => [name, [params, parameters, response]]),
    ),
    ...Object.fromEntries(
      historyQuestions.map(({ name, params, parameters, body, answer }) => [
        name,
        [params, parameters, answer, ...(body ? [body] : [])],
      ]),
    ),
  };
  for (const [name, each] of Object.entries(schemas))
    it(`of ${name} are valid JSON Schema of 2020-12`, () => {
      for (const schema of each)
        expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).to.equal(true);
    });
});
