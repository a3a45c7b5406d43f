import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { startDemo } from './demo.js';

// Clients that are generated from /openapi.json make the README's tour, each against a demo of its own.

const work = join(import.meta.dirname, 'dist');
const run = async (program, ...options) => {
  const path = join(import.meta.dirname, 'node_modules/.bin', program);
  await promisify(execFile)(process.execPath, [path, ...options], { cwd: work }).catch(({ stdout, stderr }) =>
    assert.fail(`${program} ${options.join(' ')}\n${stdout}${stderr}`),
  );
};

const STRICT = [
  ...['--strict', '--noUncheckedIndexedAccess', '--noImplicitReturns', '--noImplicitOverride'],
  ...['--noFallthroughCasesInSwitch', '--skipLibCheck', '--rootDir', '.'],
  ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom,dom.iterable'],
];

/** What makes a client of a description, by the name of its tour; of orval, the address is in the client. */
const generators = {
  'hey-api': ({ input, output }) => run('openapi-ts', '--input', input, '--output', output),
  'openapi-typescript': ({ input, output }) => run('openapi-typescript', input, '--output', join(output, 'api.ts')),
  orval: async ({ input, output, base }) => {
    const config = join(output, 'orval.json');
    const client = { target: join(output, 'api.ts'), client: 'fetch', mode: 'single', baseUrl: base };
    writeFileSync(config, JSON.stringify({ service: { input, output: client } }));
    await run('orval', '--config', config);
  },
};

const credentialsOf = ({ tokenFor }) => {
  const client = (...options) => ({ 'X-API-Key': 'demo-client-key', Authorization: `Bearer ${tokenFor(...options)}` });
  return {
    internal: { 'X-API-Key': 'demo-internal-key' },
    professional: client('--user', 'user-tour', '--professional', 'professional-tour'),
    office: client('--user', 'user-tour-office', '--office', 'office-tour'),
  };
};

before(() => mkdirSync(work, { recursive: true }));
after(() => rmSync(work, { recursive: true, force: true }));

for (const [name, generate] of Object.entries(generators))
  test(`A client of ${name} compiles under strict settings and makes the tour`, { timeout: 300_000 }, async (t) => {
    const demo = await startDemo();
    const { base } = demo;
    t.after(demo.stop);
    const output = join(work, name);
    mkdirSync(output, { recursive: true });
    const input = join(output, 'openapi.json');
    const answer = await globalThis.fetch(`${demo.service}/openapi.json`);
    writeFileSync(input, await answer.text());

    await generate({ input, output, base });
    copyFileSync(join(import.meta.dirname, 'tours/tour.ts'), join(output, 'tour.ts'));
    copyFileSync(join(import.meta.dirname, `tours/${name}.ts`), join(output, 'make.ts'));
    await run('tsc', ...STRICT, join(output, 'make.ts'));
    const { tour } = await import(pathToFileURL(join(output, 'make.js')).href);

    assert.deepEqual(await tour(base, credentialsOf(demo)), {
      facts: [204, 204, 204],
      isUnapplied: true,
      applications: [201, 200],
      isSameCandidate: true,
      changes: [204, 204],
      officeStatus: 'scheduled',
      tabs: 1,
      refusal: [409, 'candidate-closed'],
      error: 'The posting is closed, and so is the candidate',
      professionalStatus: 'closed',
    });
  });
