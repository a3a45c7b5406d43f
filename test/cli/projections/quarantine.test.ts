import { expect } from 'chai';
import { join } from 'node:path';
import { toPositionNumber, toPosition } from '../../../src/event-store/embedded/schema.ts';
import { NO_STREAM, type EventData } from '../../../src/event-store/port.ts';
import { appended } from '../../contract/new-events.ts';
import { editLog } from '../../support/edit-log.ts';
import { eventually } from '../../support/eventually.ts';
import { bodies, metadata } from '../../support/examples.ts';
import { beginCli, endLeftServices, serveHere, type Serving } from '../../support/cli.ts';
import { killLeftProcesses, sendTo, serveProcess } from '../../support/process.ts';
import { nth, worlds, type World } from './world.ts';
import { openLogHere } from '../../support/threads-here.ts';

const STREAM = 'specialty-odd';
const { procedures } = bodies.specialty;
const names = ['Odd', 'Odder', 'Oddest'] as const;

const recorded = (specialtyId: string, name: string, version = 1): EventData => ({
  id: `${specialtyId} ${name}`,
  type: 'SpecialtyRecorded',
  version,
  data: { specialtyId, name, procedures: [...procedures] },
  metadata,
});
const reordered: EventData = {
  id: 'odd reordered',
  type: 'ProceduresReordered',
  version: 1,
  data: { specialtyId: 'odd', procedureIds: ['aligners', 'braces', 'retainers'] },
  metadata,
};

const [first, second] = [nth('specialties', 1), nth('specialties', 2)];

describe('hiring projections, with an event that cannot be applied', function () {
  this.timeout(90_000);
  const { make, copy, end } = worlds();
  let world: World;
  /** Of the event that cannot be applied. */
  let position = '';
  before(make);
  beforeEach(async () => {
    world = await copy();
    position = toPosition(toPositionNumber(world.head()) + 2);
    // Only newer code reads the second event's version; this code reads the third event.
    const log = await openLogHere(join(world.directory, 'events.db'));
    const odd = [recorded('odd', names[0]), recorded('odd', names[1], 2), reordered];
    await appended(log, { stream: STREAM, expectedRevision: NO_STREAM, events: odd });
    const even = [recorded('even', 'Even')];
    await appended(log, { stream: 'specialty-even', expectedRevision: NO_STREAM, events: even });
    await log.close();
  });
  afterEach(endLeftServices);
  afterEach(killLeftProcesses);
  after(end);

  /** Stands for a deployed fix: the event becomes one that this code can read. */
  const fix = () =>
    editLog(join(world.directory, 'events.db'), `UPDATE events SET version = 1 WHERE stream = '${STREAM}'`);
  const specialty = async (service: Serving, id: string): Promise<unknown> => {
    const path = `/admin/credentials/specialties/${id}`;
    const { status, body } = await sendTo(service, 'GET', path, { as: 'admin' });
    return status === 200 ? body : status;
  };
  const parked = () => world.parked('specialties').map(({ streams }) => streams);
  const serve = async (): Promise<Serving> => {
    const service = await serveHere(world.directory);
    await eventually('the stream is parked', () => (parked()[0]?.length ?? 0) > 0);
    return service;
  };
  const procedureIds = (body: unknown) =>
    (body as { readonly procedures: readonly { readonly id: string }[] }).procedures.map(({ id }) => id);

  it('its stream is parked from there, all others go on, and list tells what is known of it', async () => {
    // Given a service that was started on such an event log
    const service = await serve();

    // Then
    await eventually('the sound one is served', async () => typeof (await specialty(service, 'even')) === 'object');
    const odd = await specialty(service, 'odd');
    expect(odd).to.include({ name: names[0] });
    expect(procedureIds(odd)).to.deep.equal(procedures.map(({ id }) => id));
    const line = (await world.listed()).find(({ projection }) => projection === 'specialties');
    expect(line).to.include({ build: first, state: 'live', lagEvents: 0 });
    expect(line?.quarantined).to.have.length(1);
    const [one] = line?.quarantined ?? [];
    expect(one).to.include({ stream: STREAM, revision: 1, type: 'SpecialtyRecorded', request: 'none', position });
    expect(one?.error).to.include("its version 2 is newer than this code's 1");
    expect(one?.stack).to.match(/^Error: .*\n +at /);
    await service.end();
  });

  it('its stream stays parked across a restart of the service', async () => {
    await (await serve()).end();
    const service = await serveHere(world.directory);
    expect(await specialty(service, 'odd')).to.include({ name: names[0] });
    expect(parked()[0]).to.deep.equal([STREAM]);
    await service.end();
  });

  it('retry before a fix ends with 1 and says why the stream still is parked', async () => {
    const service = await serve();
    const { code, stdout } = await world.projections('retry', 'specialties', STREAM);
    expect(code).to.equal(1);
    expect(stdout).to.match(
      new RegExp(
        `^${first}: specialty-odd is parked at SpecialtyRecorded at ${position}: .* newer than this code's 1\n$`,
      ),
    );
    await service.end();
  });

  it('retry after a fix applies what has waited, in order, beside a running service', async () => {
    const service = await serve();
    fix();
    const { code, stdout } = await world.projections('retry', 'specialties');
    expect([code, stdout]).to.deep.equal([0, 'specialties: nothing is parked\n']);
    const odd = await specialty(service, 'odd');
    expect(odd).to.include({ name: names[1] });
    expect(procedureIds(odd)).to.deep.equal(['aligners', 'braces', 'retainers']);
    await service.end();
    expect((await world.projections('verify', 'specialties')).code).to.equal(0);
  });

  it('retry says that it waits, where the service does nothing for now', async () => {
    const service = await serveProcess(world.directory);
    await eventually('the stream is parked', () => (parked()[0]?.length ?? 0) > 0);
    process.kill(service.pid, 'SIGSTOP');
    const retry = beginCli(world.directory, ['projections', 'retry', 'specialties']);
    await eventually('it says so', () =>
      retry.stderr().includes('specialties: the projector has not done it yet; waiting up to 60 s'),
    );
    process.kill(service.pid, 'SIGCONT');
    expect(await retry.ended).to.equal(1);
    await service.end('SIGTERM');
  });

  it('retry works without a service as well', async () => {
    await (await serve()).end();
    fix();
    const { code, stdout } = await world.projections('retry', 'specialties', STREAM);
    expect([code, stdout]).to.deep.equal([0, 'specialties: nothing is parked\n']);
    expect((await world.projections('verify', 'specialties')).code).to.equal(0);
  });

  it('skip applies what comes after it', async () => {
    const service = await serve();
    const { code, stdout } = await world.projections('skip', 'specialties', STREAM);
    expect([code, stdout]).to.deep.equal([0, 'specialties: nothing is parked\n']);
    const odd = await specialty(service, 'odd');
    expect(odd).to.include({ name: names[0] });
    expect(procedureIds(odd)).to.deep.equal(['aligners', 'braces', 'retainers']);
    await service.end();
  });

  it('a skip ends with 0 where the stream is parked again, at a later event', async () => {
    // Given a second event after the poison event that cannot be applied either
    const log = await openLogHere(join(world.directory, 'events.db'));
    const later = [recorded('odd', names[2], 3)];
    await appended(log, { stream: STREAM, expectedRevision: 2, events: later });
    await log.close();
    const service = await serve();

    const { code, stdout } = await world.projections('skip', 'specialties', STREAM);

    expect(stdout).to.match(
      /^specialties: done; parked still are:\nspecialties@\S+: specialty-odd is parked at SpecialtyRecorded at \d+: .*\n$/,
    );
    expect(code).to.equal(0);
    await service.end();
  });

  it('retry --all and skip --all are about every parked stream of every projection', async () => {
    const service = await serve();
    // Before a fix each stream is parked again.
    expect((await world.projections('retry', '--all')).code).to.equal(1);
    const { code, stdout } = await world.projections('skip', '--all');
    expect(code).to.equal(0);
    expect(stdout).to.include('specialties: nothing is parked\n');
    for (const command of ['retry', 'skip'])
      expect(await world.projections(command, '--all'), command).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: 'hiring: No stream is parked\n',
      });
    await service.end();
  });

  it('skip of a projection needs a stream, or --all', async () => {
    const { code, stderr } = await world.projections('skip', 'specialties');
    expect([code, stderr]).to.deep.equal([2, 'hiring: Name a parked stream of specialties, or say --all\n']);
  });

  it('retry and skip of a stream that is not parked are refused in one line', async () => {
    await (await serve()).end();
    for (const command of ['retry', 'skip'])
      expect(await world.projections(command, 'specialties', 'specialty-even'), command).to.deep.equal({
        code: 2,
        stdout: '',
        stderr: 'hiring: The stream specialty-even is not parked in specialties\n',
      });
  });

  it('a rebuild stops at it and serves what it did, until it is told to go on', async () => {
    await (await serve()).end();
    const strict = await world.projections('rebuild', 'specialties');
    expect(strict.code).to.equal(1);
    expect(strict.stdout).to.include(
      `specialties: stopped, what is served stays: SpecialtyRecorded (event 1 of specialty-odd, at ${position}) cannot be applied: `,
    );
    expect(await world.builds('specialties')).to.deep.equal([`${first} live`, `${second} stopped`]);

    const tolerant = await world.projections('rebuild', 'specialties', '--tolerant');
    expect(tolerant.code).to.equal(0);
    expect(tolerant.stdout).to.match(
      new RegExp(`^${second}: specialty-odd is parked at SpecialtyRecorded at ${position}: `, 'm'),
    );
    expect(await world.builds('specialties')).to.deep.equal([`${second} live`, `${first} kept`]);
    expect(parked()).to.deep.equal([[STREAM], [STREAM]]);
  });
});
