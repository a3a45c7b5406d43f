import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startDemo } from './demo.js';

// C# clients that are generated from /openapi.json make the README's tour, each against a demo of its own.

const work = join(import.meta.dirname, 'dist', 'dotnet');
after(() => rmSync(work, { recursive: true, force: true }));

// No server of the compiler stays behind.
const env = {
  ...process.env,
  ...{ DOTNET_CLI_TELEMETRY_OPTOUT: '1', KIOTA_TUTORIAL_ENABLED: 'false' },
  ...{ MSBUILDDISABLENODEREUSE: '1', UseSharedCompilation: 'false' },
};
const dotnet = async (...options) => {
  const { stdout } = await promisify(execFile)('dotnet', options, { cwd: import.meta.dirname, env }).catch((error) =>
    assert.fail(`dotnet ${options.join(' ')}\n${error.stdout}${error.stderr}`),
  );
  return stdout;
};

const isThere = (attempt) =>
  attempt.then(
    () => true,
    () => false,
  );
/** Where packages come from here. */
const packagesAnswer = async () => {
  const [, source] = /^E (http\S+)$/m.exec(await dotnet('nuget', 'list', 'source', '--format', 'short')) ?? [];
  await globalThis.fetch(source, { signal: globalThis.AbortSignal.timeout(10_000) });
};
const missing = !(await isThere(promisify(execFile)('dotnet', ['--version'])))
  ? 'no dotnet'
  : !(await isThere(packagesAnswer()))
    ? 'NuGet does not answer'
    : false;

const generators = {
  nswag: (input, output) =>
    dotnet(
      ...['nswag', 'openapi2csclient', `/input:${input}`, `/output:${join(output, 'Client.cs')}`],
      ...['/namespace:Hiring', '/classname:HiringClient', '/GenerateNullableReferenceTypes:true'],
      ...['/GenerateOptionalPropertiesAsNullable:true', '/GenerateOptionalParameters:true'],
    ),
  kiota: (input, output) =>
    dotnet(
      ...['kiota', 'generate', '--language', 'CSharp', '--openapi', input, '--output', join(output, 'client')],
      ...['--class-name', 'HiringClient', '--namespace-name', 'Hiring'],
    ),
};

for (const [name, generate] of Object.entries(generators))
  test(
    `A client of ${name} compiles without a warning and makes the tour`,
    { skip: missing, timeout: 600_000 },
    async (t) => {
      const demo = await startDemo();
      t.after(demo.stop);
      const output = join(work, name);
      mkdirSync(output, { recursive: true });
      const input = join(output, 'openapi.json');
      const answer = await globalThis.fetch(`${demo.service}/openapi.json`);
      writeFileSync(input, await answer.text());

      await dotnet('tool', 'restore');
      await generate(input, output);
      copyFileSync(join(import.meta.dirname, `tours/${name}.cs`), join(output, 'Tour.cs'));
      copyFileSync(join(import.meta.dirname, 'tours/tour.csproj'), join(output, 'tour.csproj'));
      await dotnet('build', output, '--output', join(output, 'built'));
      const seen = await dotnet(
        join(output, 'built', 'tour.dll'),
        demo.base,
        demo.tokenFor('--user', 'user-tour', '--professional', 'professional-tour'),
        demo.tokenFor('--user', 'user-tour-office', '--office', 'office-tour'),
      );

      assert.deepEqual(JSON.parse(seen), {
        candidateStatus: null,
        isSameCandidate: true,
        officeStatus: 'Scheduled',
        status: 409,
        code: 'candidate-closed',
        error: 'The posting is closed, and so is the candidate',
        professionalStatus: 'Closed',
      });
    },
  );
