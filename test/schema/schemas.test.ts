import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { StoredProjectionBuilds } from '../../src/builds/build-schema.ts';
import { eventDefinitions } from '../../src/domain/index.ts';
import { hiring } from '../../src/hiring/index.ts';

const { commands, queries, admin, questions } = hiring;

describe('The schemas', () => {
  const ajv = new Ajv2020();
  const schemas: Readonly<Record<string, readonly object[]>> = {
    'the build registry': [StoredProjectionBuilds],
    ...Object.fromEntries(eventDefinitions.map(({ type, data }) => [type, [data]])),
    ...Object.fromEntries([...commands, ...admin.operations].map(({ name, params, body }) => [name, [params, body]])),
    ...Object.fromEntries(
      queries.map(({ name, params, parameters, response }) => [name, [params, parameters, response]]),
    ),
    ...Object.fromEntries(
      questions.map(({ name, params, parameters, body, answer }) => [
        name,
        [params, parameters, answer, ...(body ? [body] : [])],
      ]),
    ),
  };
  for (const [name, each] of Object.entries(schemas))
    it(`of ${name} are valid JSON Schema of 2020-12`, () => {
      for (const schema of each) expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).to.equal(true);
    });
});
