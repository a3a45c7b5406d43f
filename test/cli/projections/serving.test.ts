import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { bodies } from '../../support/examples.ts';
import { endLeftServices, serveHere, type Serving } from '../../support/cli.ts';
import { sendTo } from '../../support/process.ts';
import { nth, worlds, type World } from './world.ts';

const [first, second] = [nth('specialties', 1), nth('specialties', 2)];

describe('hiring projections, beside a running service', function () {
  this.timeout(90_000);
  const { make, copy, end } = worlds();
  let world: World;
  let service: Serving;
  before(make);
  beforeEach(async () => {
    world = await copy();
    service = await serveHere(world.directory);
  });
  afterEach(endLeftServices);
  after(end);

  /** Records a specialty; gives the Consistency-Token. */
  const record = async (id: string): Promise<string> => {
    const path = `/internal/specialties/${id}`;
    const { status, headers } = await sendTo(service, 'PUT', path, { body: bodies.specialty });
    expect(status).to.equal(204);
    return headers.get('Consistency-Token') ?? '';
  };
  const read = (id: string, token?: string) =>
    sendTo(service, 'GET', `/admin/credentials/specialties/${id}`, {
      as: 'admin',
      headers: token === undefined ? {} : { 'Consistency-Token': token },
    });
  const isPaused = async () => {
    const lines = await world.listed();
    return lines.find(({ projection }) => projection === 'specialties')?.pausedSince != null;
  };

  it('rebuild has the service build and switch, while every read is answered', async () => {
    await read('none');
    const token = await record('read-all-along');
    expect((await read('read-all-along', token)).status).to.equal(200);

    const command = { isOver: false };
    const rebuilding = world.projections('rebuild', '--all').finally(() => (command.isOver = true));
    const answers = new Map<number, number>();
    while (!command.isOver) {
      const { status } = await read('read-all-along');
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    expect((await rebuilding).code).to.equal(0);
    expect([...answers.keys()]).to.deep.equal([200]);
    expect(await world.builds('specialties')).to.deep.equal([`${second} live`, `${first} kept`]);
  });

  it('what was written shows in what was built, and after a rollback in what was kept', async () => {
    await world.projections('rebuild', 'specialties');
    expect((await read('one', await record('one'))).status).to.equal(200);
    await world.projections('rollback', 'specialties');
    await eventually('the service reads what was kept', async () =>
      (await world.builds('specialties')).includes(`${first} live`),
    );
    expect((await read('one')).status).to.equal(200);
    expect((await read('two', await record('two'))).status).to.equal(200);
  });

  // A build that is given up stays for ten seconds, for reads that have begun.
  it('what is not to be kept is dropped', async () => {
    await world.projections('rebuild', 'specialties', '--keep', '0');
    await eventually('only one is left', async () => (await world.builds('specialties')).length === 1);
    const { code, stderr } = await world.projections('rollback', 'specialties');
    expect([code, stderr]).to.deep.equal([2, 'hiring: No other build of specialties is kept\n']);
    await eventually(
      'its documents are gone',
      () =>
        world
          .record('specialties')
          ?.builds.map(({ id }) => id)
          .join() === second,
    );
  });

  it('cancel gives up a rebuild, and the command that waits for it is told', async () => {
    const rebuilding = world.projections('rebuild', 'posting-candidates', '--throttle', '1');
    await eventually('it is under way', () => world.next('posting-candidates')?.progress != null);
    expect((await world.projections('cancel', 'posting-candidates')).code).to.equal(0);
    const { code, stdout } = await rebuilding;
    expect([code, stdout]).to.deep.equal([1, 'posting-candidates: given up by an operator\n']);
    expect(await world.builds('posting-candidates')).to.deep.equal([`${nth('posting-candidates', 1)} live`]);
  });

  it('pause stops one projection across a restart, until resume', async () => {
    // Given a paused projection
    const { code, stdout } = await world.projections('pause', 'specialties');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^specialties: paused since \S+Z by \S+\n$/);

    // When something is written
    const { late, token } = await writtenUnread();

    // Then a read with the write's token is told which projection is paused
    const refused = await read(late, token);
    expect(refused.status).to.equal(503);
    expect(JSON.stringify(refused.body)).to.include('The projection specialties is paused');

    // And the projection stays paused after a restart, while reads go on
    await service.end();
    service = await serveHere(world.directory);
    expect(await isPaused()).to.equal(true);
    expect((await read(late)).status).to.equal(404);
    const lines = await world.listed();
    expect(lines.find(({ projection }) => projection === 'specialties')?.lagEvents).to.be.greaterThan(0);

    // Until the operator resumes it
    expect((await world.projections('resume', 'specialties')).stdout).to.equal('specialties: resumed\n');
    await eventually('it is applied', async () => (await read(late)).status === 200);
    expect(await isPaused()).to.equal(false);
  });

  /**
   * The service learns of a pause a little later and applies what was written before; gives the first unapplied write.
   */
  const writtenUnread = async (): Promise<{ readonly late: string; readonly token: string }> => {
    let [count, late, token] = [0, '', ''];
    await eventually('nothing is applied any more', async () => {
      late = `late-${count++}`;
      token = await record(late);
      return (await read(late, token)).status === 503;
    });
    return { late, token };
  };
});
