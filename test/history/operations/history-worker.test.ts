import { join } from 'node:path';
import { expect } from 'chai';
import { specialtyDecider } from '../../../src/domain/specialty.ts';
import { createHistoryWorker, type HistoryWorker } from '../../../src/history/operations/history-worker.ts';
import type { HistoryRequest } from '../../../src/history/operations/history-task.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { refusalOf, rejectionOf } from '../../support/refusal-of.ts';
import { openLogHere } from '../../support/threads-here.ts';
import { directoryForAll } from '../../support/files.ts';

const MANY = 3_000;
const events = (parameters: HistoryRequest['parameters']): HistoryRequest => ({
  operation: 'findEvents',
  params: {},
  parameters,
  isUnmasked: false,
});

describe('A reader of the history', () => {
  const directory = directoryForAll('hiring-reader-');
  let reader: HistoryWorker;
  const readerOf = (name: string) =>
    createHistoryWorker(
      {
        stores: {
          eventStore: { kind: 'sqlite', path: join(directory(), name) },
          readModels: { kind: 'sqlite', path: join(directory(), 'read-models.db') },
        },
        maskSecret: 'a secret for masks, thirty-two bytes or more',
      },
      { onDropped: () => undefined, onEnded: () => undefined, onBegun: () => undefined, onHung: () => undefined },
    );

  before(async () => {
    const log = await openLogHere(join(directory(), 'events.db'));
    const recorded = Array.from({ length: MANY }, (_, index) =>
      on(
        specialtyDecider,
        `s${index % 10}`,
      )({ type: 'SpecialtyRecorded', data: { specialtyId: `s${index % 10}`, ...bodies.specialty } }),
    );
    await storeWith(recorded, log);
    await log.close();
  });
  beforeEach(() => (reader = readerOf('events.db')));
  afterEach(() => reader.stop());

  it('gives all of an answer, piece by piece', async () => {
    const { upTo, pieces } = await reader.ask(events({ limit: MANY }), new AbortController().signal);
    let [text, count] = ['', 0];
    for await (const piece of pieces) {
      text += piece;
      count++;
    }
    expect(text.trimEnd().split('\n')).to.have.length(MANY);
    expect(count).to.be.above(3);
    expect(Number(upTo?.position)).to.equal(MANY);
  });

  it('ends an answer that was given up while nobody read it, for whoever reads on', async () => {
    const leaving = new AbortController();
    const { pieces, over } = await reader.ask(events({ follow: true }), leaving.signal);
    const iterator = pieces[Symbol.asyncIterator]();
    expect((await iterator.next()).done).to.equal(false);
    leaving.abort();
    await over;
    expect((await iterator.next()).done).to.equal(true);
  });

  it('gives up an answer that is never begun to be read', async () => {
    const leaving = new AbortController();
    const { over } = await reader.ask(events({ limit: MANY }), leaving.signal);
    leaving.abort();
    await over;
  });

  it('gives up a search while it reads, and others have their turn', async () => {
    const leaving = new AbortController();
    const nothing = events({ where: ['data.postingId=none'], limit: 1 });
    const searching = Array.from({ length: 4 }, () => reader.ask(nothing, leaving.signal));
    leaving.abort();
    const given = await Promise.all(searching);
    await Promise.all(given.map(({ over }) => over));
    const { pieces } = await reader.ask(events({ limit: 1 }), new AbortController().signal);
    for await (const piece of pieces) expect(piece).to.include('SpecialtyRecorded');
  });

  it('makes a report, and gives one up whose client has gone', async () => {
    const asked = { operation: 'makeReport', params: {}, parameters: {}, isUnmasked: false };
    const leaving = new AbortController();
    const given = reader.ask(asked, leaving.signal);
    leaving.abort();
    await given.then(
      ({ over }) => over,
      () => undefined,
    );
    const { upTo, pieces } = await reader.ask(asked, new AbortController().signal);
    let page = '';
    for await (const piece of pieces) page += piece;
    expect(page.trimEnd()).to.match(/<\/html>$/);
    expect(Number(upTo?.position)).to.equal(MANY);
  });

  it('refuses what an operation refuses, and says what fails before an answer begins', async () => {
    const { signal } = new AbortController();
    const refusal = await refusalOf(reader.ask(events({ from: '99999999' }), signal));
    expect(refusal.message).to.match(/^No event stands at the position/);
    const other = readerOf('missing.db');
    const failure = await rejectionOf(other.ask(events({}), signal));
    expect(failure).to.be.an('error');
    await other.stop();
  });

  it('stops while an answer is under way', async () => {
    const { over } = await reader.ask(events({ follow: true }), new AbortController().signal);
    await reader.stop();
    await over;
  });

  it('fails an answer that the stop cuts, before its first piece and after', async () => {
    const { signal } = new AbortController();
    const { pieces } = await reader.ask(events({ limit: MANY }), signal);
    const iterator = pieces[Symbol.asyncIterator]();
    await iterator.next();
    const searching = reader.ask(events({ where: ['data.postingId=none'], limit: 1 }), signal);
    const stopped = reader.stop();
    expect(await rejectionOf(searching)).to.match(/The service is stopping/);
    const rest = async () => {
      while (!(await iterator.next()).done);
    };
    expect(await rejectionOf(rest())).to.match(/The service is stopping/);
    await stopped;
  });
});
