import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { claims, ids } from '../support/examples.ts';
import { configured, killLeftProcesses, sendTo, runProcess, serveProcess, type Running } from '../support/process.ts';
import { tokenFor, untilReady } from '../support/service.ts';
import { expectEachOnce, startWriters } from '../support/writers.ts';
import { ask, putAnother, putPosting } from './service-requests.ts';

const DAY_MS = 24 * 3_600_000;

describe('A clock that is set', () => {
  let directory: string;
  let environment: Readonly<Record<string, string>>;
  let service: Running;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'clock-'));
    environment = {
      ...configured,
      NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, 'preload-set-clock.js')).href}`,
      CLOCK_SET_BY: join(directory, 'clock-set-by'),
    };
  });
  afterEach(() => {
    killLeftProcesses();
    rmSync(directory, { recursive: true });
  });

  const setBy = (days: number) => writeFileSync(join(directory, 'clock-set-by'), String(days * DAY_MS));
  const serving = async () => {
    service = await serveProcess(directory, environment);
    await untilReady(service.url);
  };
  /** Of a user whose token the service has not seen, so that it looks at its times. */
  const saveAs = async (user: string, key: string) => {
    const token = await tokenFor({ ...claims.professional, sub: user }, '3d');
    const { status } = await sendTo(service, 'POST', '/professionals/postings/save', {
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key },
      body: { postingId: ids.posting },
    });
    return status;
  };
  /** Expects that everything is answered, and that what was written is seen. */
  const expectAllGoesOn = async (round: string) => {
    expect((await putAnother(service)).status).to.equal(204);
    expect(await saveAs(`user-of-${round}`, round)).to.equal(200);
    expect(await saveAs(`user-of-${round}`, round)).to.equal(200);
    expect((await ask(service, 'GET', '/postings/saved')).status).to.equal(200);
    expect((await ask(service, 'POST', '/admin/projections/specialties/resume', {})).status).to.equal(200);
    const { status, body } = await ask(service, 'GET', '/admin/audit');
    expect(status).to.equal(200);
    expect(JSON.stringify(body)).to.include('"operation":"resume"');
    await untilReady(service.url);
  };

  it('a day ahead and back, while the service runs and between two starts, loses nothing and holds up nothing', async () => {
    // Given a service under writers
    await serving();
    expect((await ask(service, ...putPosting)).status).to.equal(204);
    const writers = await startWriters(
      2,
      () => service.url,
      // Their tokens end in an hour, by whatever the clock says.
      (status) => status === 401,
    );
    await writers.more(20);

    // When its clock is set a day ahead, right, a day back and right again, then all goes on each time
    for (const [round, days] of [1, 0, -1, 0].entries()) {
      setBy(days);
      await expectAllGoesOn(`round-${round}`);
      if (days <= 0) await writers.more(20);
    }
    const done = await writers.end();

    // When it is started again with the clock a day back, and set right
    expect(await service.end('SIGTERM')).to.equal(0);
    setBy(-1);
    await serving();
    await expectAllGoesOn('yesterday');
    setBy(0);
    await expectAllGoesOn('today');
    expect(await service.end('SIGTERM')).to.equal(0);

    // Then each acknowledged write is there once, in the order of positions and not of times
    const store = await openEmbeddedEventStore(join(directory, 'events.db'));
    await expectEachOnce(store, done);
    const times = (await store.readAll(START_POSITION, 100_000)).map(
      ({ metadata }) => metadata['recordedAt'] as string,
    );
    await store.close();
    expect(times).not.to.deep.equal([...times].sort());
    const { code, stdout } = await runProcess(directory, ['check'], environment);
    expect(stdout).to.include(' idempotency records: sound');
    expect(code).to.equal(0);
  });
});
