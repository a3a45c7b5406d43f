import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { hiring } from '../../src/hiring/index.ts';
import { openApiOf } from '../../src/http/openapi.ts';
import { isObject } from '../../src/schema/json.ts';

const description = openApiOf(hiring);

const redocly = async (document: object): Promise<string[]> => {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended'] }),
  });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
};

const spectralRules = async (document: object): Promise<string[]> => {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset(rulesets.oas, { severity: 'recommended' }));
  // The linter marks the document that it gets.
  const problems = await linter.run(structuredClone({ ...document }));
  return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`);
};

describe('The OpenAPI description, by the recommended rules', () => {
  it('of Redocly is without a fault', async () => {
    expect(await redocly(description)).to.deep.equal([]);
  });

  it('of Spectral is without a fault', async () => {
    expect(await spectralRules(description)).to.deep.equal([]);
  });

  it('would not be without servers, a licence, and tags that are declared', async () => {
    const faulty = { ...description, servers: [], tags: [], info: { ...description.info, license: undefined } };
    const found = [...(await redocly(faulty)), ...(await spectralRules(faulty))].join('\n');
    for (const rule of ['no-empty-servers', 'info-license', 'oas3-api-servers', 'operation-tag-defined'])
      expect(found).to.include(`${rule}: `);
  });

  it('declares for every operation what can be answered to any request', () => {
    for (const item of Object.values(description.paths))
      for (const operation of Object.values(isObject(item) ? item : {})) {
        const responses = isObject(operation) ? operation['responses'] : undefined;
        expect(responses).to.include.keys('400', '401', '403', '406', '408', '414', '417', '429', '431', '500');
      }
  });
});
