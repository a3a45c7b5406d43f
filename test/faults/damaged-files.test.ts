import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { pino } from 'pino';
import { namesOfFiles } from '../../src/read-models/embedded/files.ts';
import { damages, damagesOfWal } from '../support/damage.ts';
import { bodies, ids } from '../support/examples.ts';
import { runProcess } from '../support/process.ts';
import { dumpReadModels, type Dump } from '../support/read-model-dump.ts';
import { startService, type Service } from '../support/service.ts';
import { putFacts, putOffice } from '../http/stories.ts';

const LINE =
  /^hiring: \S+events\.db is damaged, and nothing was changed: .+; docs\/operating\.md#\S+ says how it is restored\n$/;

describe('Damaged files', function () {
  this.timeout(30_000);
  /** Of a service that was killed, so that there are write-ahead logs, and of one that was stopped. */
  const [killed, stopped] = [mkdtempSync(join(tmpdir(), 'killed-')), mkdtempSync(join(tmpdir(), 'stopped-'))];
  let service: Service;
  let warnings: string[];
  let expected: Dump;
  let derived: string[];
  const path = (name: string) => join(service.directory, name);

  const restore = (image: string) => {
    for (const name of readdirSync(service.directory)) rmSync(path(name), { recursive: true });
    cpSync(image, service.directory, { recursive: true });
  };
  before(async () => {
    const logger = pino(
      { level: 'warn' },
      { write: (line: string) => warnings.push((JSON.parse(line) as { msg: string }).msg) },
    );
    warnings = [];
    service = await startService({ logger });
    await putFacts(service);
    await service.restart();
    for (let number = 0; number < 30; number++) {
      await putOffice(service, ids.otherOffice);
      const headers = { 'Idempotency-Key': `apply-${number}` };
      await service.send('POST', `/postings/${ids.posting}/candidates`, {
        as: 'professional',
        headers,
        body: bodies.application,
      });
    }
    await service.send('GET', '/professionals/applications', { as: 'professional' });
    cpSync(service.directory, killed, { recursive: true });
    derived = [
      'projections.db',
      ...namesOfFiles(path('read-models.db'))
        .projections()
        .map((name) => `read-models.db.${name}`),
    ];
    await service.app.stop();
    expected = dumpReadModels(path('read-models.db'));
    cpSync(service.directory, stopped, { recursive: true });
    // As the end of a process leaves it: without a write-ahead log.
    const log = new Database(join(stopped, 'events.db'));
    log.pragma('journal_mode = DELETE');
    log.close();
    await service.restart();
  });
  after(async () => {
    await service.stop();
    for (const image of [killed, stopped]) rmSync(image, { recursive: true });
  });

  for (const [what, damage] of Object.entries({ ...damages, ...damagesOfWal }))
    for (const [which, isDamaged] of [
      ['read models', (name: string) => name !== 'projections.db'],
      ['the build registry', (name: string) => name === 'projections.db'],
    ] as const)
      it(`of ${which} are set aside, built anew and served right when ${what}`, async () => {
        // Given the files of a killed service, damaged
        warnings = [];
        const damaged = derived.filter(isDamaged);
        await service.restart(() => {
          restore(killed);
          for (const name of damaged) damage(path(name), path('events.db'));
          return Promise.resolve();
        });

        // Then what is served is what was, with a warning for each file set aside
        expect(dumpReadModels(path('read-models.db'))).to.deep.equal(expected);
        for (const name of damaged) {
          const told = warnings.filter((line) => line.includes(`${path(name)} is damaged`));
          expect(told, name).to.have.length(existsSync(path(`${name}.damaged`)) ? 1 : 0);
        }
      });

  for (const [what, damage] of Object.entries(damages))
    if (what !== 'it is missing')
      it(`end the start with one line and exit code 2 when it is events.db, and ${what}`, async () => {
        const directory = mkdtempSync(join(tmpdir(), 'damaged-'));
        cpSync(stopped, directory, { recursive: true });
        damage(join(directory, 'events.db'), join(directory, 'projections.db'));
        const { code, stderr } = await runProcess(directory, ['serve']);
        expect(stderr).to.match(LINE);
        expect(code).to.equal(2);
        rmSync(directory, { recursive: true });
      });
});
