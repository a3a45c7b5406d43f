import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { START_POSITION } from '../../src/event-store/port.ts';
import { at, expectError, textAt } from '../http/answer-rules.ts';
import { eventually } from '../support/eventually.ts';
import { startService, type Service } from '../support/service.ts';
import { library } from './index.ts';

describe('A second business on the platform', () => {
  let directory: string;
  let service: Service;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'library-'));
    service = await startService({
      domain: library,
      threads: undefined,
      stores: {
        eventStore: { kind: 'sqlite', path: join(directory, 'events.db') },
        readModels: { kind: 'sqlite', path: join(directory, 'read-models.db') },
      },
    });
  });
  after(async () => {
    await service.stop();
    await rm(directory, { recursive: true });
  });

  const lend = (id: string, reader: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.send('POST', `/internal/books/${id}/lend`, { headers, body: { reader } });
  const booksOf = async (reader: string) => (await service.send('GET', `/internal/readers/${reader}/books`)).body;
  const types = async () => (await service.app.eventStore.readAll(START_POSITION, 100)).map(({ type }) => type);

  it('stores what a command decides, once for its key, and a query shows it', async () => {
    const headers = { 'Idempotency-Key': 'lend-1' };
    const first = await lend('emma', 'ann', headers);
    expect([first.status, first.body]).to.deep.equal([204, undefined]);
    expect((await lend('emma', 'ann', headers)).headers.get('Idempotent-Replayed')).to.equal('true');
    expect((await lend('emma', 'ann')).status).to.equal(204);
    expect(await booksOf('ann')).to.deep.equal({ data: [{ id: 'emma' }] });
    expect(await types()).to.deep.equal(['BookLent']);
  });

  it('refuses what its rules and its schemas forbid', async () => {
    expectError(await lend('emma', 'bob'), 409, /lent to another reader/);
    expectError(await lend('emma', 7), 400, /^body\/reader must be/);
    expect(await booksOf('bob')).to.deep.equal({ data: [] });
  });

  it('is shown after a restart and by a rebuild', async () => {
    await service.restart();
    expect(await booksOf('ann')).to.deep.equal({ data: [{ id: 'emma' }] });
    const asAdmin = { as: 'admin' } as const;
    const body = { confirm: 'lent-books' };
    const begun = await service.send('POST', '/admin/projections/lent-books/rebuild', { ...asAdmin, body });
    const build = textAt(begun.body, 'build');
    await eventually(`${build} is served`, async () => {
      const { body: overview } = await service.send('GET', '/admin/projections', asAdmin);
      return at(overview, 'data', 0, 'live') === build;
    });
    expect(await booksOf('ann')).to.deep.equal({ data: [{ id: 'emma' }] });
  });

  it('has no operations and events but its own and those of operators', async () => {
    const { body } = await service.send('GET', '/openapi.json');
    expect(textAt(body, 'info', 'title')).to.equal('Library');
    const paths = Object.keys(at(body, 'paths') ?? {}).filter((path) => !path.startsWith('/admin/'));
    expect(paths).to.deep.equal(['/internal/books/{id}/lend', '/internal/readers/{reader}/books']);
    expect(new Set(await types())).to.deep.equal(new Set(['BookLent', 'OperatorActed']));
    expect((await service.send('GET', '/postings/saved')).status).to.equal(404);
  });
});
