import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { pino } from 'pino';
import { createReadModelFileCatalog } from '../../src/read-models/embedded/read-model-files.ts';
import { damages, damagesOfWal } from '../support/damage.ts';
import { bodies, ids } from '../support/examples.ts';
import { runProcess } from '../support/process.ts';
import { dumpReadModels, type Dump } from '../support/read-model-dump.ts';
import { eventually } from '../support/eventually.ts';
import { startService, untilReady, type Service } from '../support/service.ts';
import { putFacts, putOffice, putPosting } from '../http/stories.ts';

const LINE =
  /^hiring: \S+events\.db is damaged, and nothing was changed: .+; docs\/operating\.md#\S+ says how it is restored\n$/;

describe('Damaged files', () => {
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
    service = await startService({ logger, threads: undefined });
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
      ...createReadModelFileCatalog(path('read-models.db'))
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
        // An event log without anything in it is no damage, but gone.
        expect(stderr).to.match(what === 'it has no bytes left' ? /^hiring: .*is gone; nothing was begun.*\n$/ : LINE);
        expect(code).to.equal(2);
        rmSync(directory, { recursive: true });
      });

  /** The service on undamaged files, running. */
  const runningOn = async (image: string) => {
    warnings = [];
    await service.restart(() => {
      restore(image);
      return Promise.resolve();
    });
  };
  const [beyondFirst, header] = [
    damages['its pages behind the first are overwritten'],
    damages['its header is overwritten'],
  ];

  it('of read models are set aside and built anew while the service runs, without a wrong answer', async () => {
    // Given a running service whose read models are damaged on disk
    await runningOn(stopped);
    for (const name of derived) if (name !== 'projections.db') beyondFirst?.(path(name), '');

    // When projections and queries reach what is damaged
    const statuses = new Set<number>();
    await eventually('damage is met, and what was damaged is read again', async () => {
      await putOffice(service);
      await putOffice(service, ids.otherOffice);
      const { status } = await service.send('GET', '/professionals/candidates?category=active', { as: 'professional' });
      statuses.add(status);
      return warnings.some((line) => line.includes('is damaged')) && status === 200;
    });

    // Then no answer was wrong, and what is served is what a rebuild gives
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).to.deep.equal([]);
    await untilReady(service.url);
    await service.app.stop();
    const shown = dumpReadModels(path('read-models.db'));
    await service.restart(() => {
      for (const name of readdirSync(service.directory)) if (name.startsWith('read-models.db')) rmSync(path(name));
      return Promise.resolve();
    });
    expect(shown).to.deep.equal(dumpReadModels(path('read-models.db')));
  });

  it('of the build registry are replaced by one with the same records while the service runs', async () => {
    // Given a projection that is paused
    await runningOn(stopped);
    const act = (name: string) =>
      service.send('POST', `/admin/projections/saved-postings/${name}`, {
        as: 'admin',
        body: name === 'pause' ? { confirm: 'saved-postings' } : {},
      });
    /** Who has paused what, and since when. */
    const paused = async () => {
      const { body } = await service.send('GET', '/admin/projections', { as: 'admin' });
      return /"paused":(\{[^}]*\})/.exec(JSON.stringify(body))?.[1];
    };
    expect((await act('pause')).status).to.equal(200);
    let postings = 0;
    await eventually('the projector knows of the pause, since it applies nothing', async () => {
      await putPosting(service, `posting-${postings++}`);
      const { body } = await service.send('GET', '/health/ready', { key: null });
      return JSON.stringify(body).includes('it is paused');
    });
    const before = await paused();

    // When its file is damaged
    header?.(path('projections.db'), '');
    const told = () =>
      warnings.filter((line) => /projections\.db is damaged .* the records of \S+ are kept/.test(line));
    await eventually(
      'it was replaced, and a line tells it',
      () => existsSync(path('projections.db.damaged')) && told().length > 0,
    );

    // Then nothing is lost, and operators can go on
    expect(told()).to.have.length(1);
    await eventually('the pause is listed as before', async () => (await paused()) === before);
    expect((await act('resume')).status).to.equal(200);
  });

  it('of events.db refuse what meets them while the service runs, which readiness and the log tell', async () => {
    // Given a running service whose event log is damaged on disk
    await runningOn(stopped);
    damages['random bytes are changed all over']?.(path('events.db'), '');
    let count = 0;
    /** To another stream each time: what was read of a stream is kept in memory. */
    const write = () => service.send('PUT', `/internal/offices/office-${count++}`, { body: bodies.office });

    // When commands reach what is damaged
    await eventually('a write is refused', async () => {
      const { status } = await write();
      expect(status).to.be.oneOf([204, 503]);
      return status === 503;
    });

    // Then writes that meet it are refused, readiness and the log say why, and reads go on
    for (let round = 0; round < 10; round++) expect((await write()).status).to.be.oneOf([204, 503]);
    const ready = await service.send('GET', '/health/ready', { key: null });
    expect(ready.status).to.equal(200);
    expect(JSON.stringify(ready.body)).to.include('the file of the log is damaged');
    const told = warnings.filter((line) => line.includes('The event log is damaged'));
    expect(told, warnings.join('\n')).not.to.be.empty;
    const read = await service.send('GET', '/professionals/candidates?category=active', {
      as: 'professional',
      headers: { 'Consistency-Token': '' },
    });
    expect(read.status).to.equal(200);
    await runningOn(stopped);
  });
});
