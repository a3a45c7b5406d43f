import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runCli } from '../support/cli.ts';
import { configured } from '../support/process.ts';
import { newDatabase, withServer } from '../support/servers.ts';

const NAME = 'hiring projections list';

withServer(NAME, 'TEST_MONGODB_URL', (server) => {
  describe(NAME, () => {
    it('tells what it can while EventStoreDB does not answer', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'hiring-list-'));
      const database = newDatabase(server);
      try {
        const { code, stdout, stderr } = await runCli(directory, ['projections', 'list', '--json'], {
          ...configured,
          EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
          READ_MODEL_URL: database.url,
        });
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
        const lines = JSON.parse(stdout) as { projection: string; lagEvents: unknown }[];
        expect(lines.map(({ projection }) => projection)).to.include('posting-candidates');
        for (const { lagEvents } of lines) expect(lagEvents).to.equal(null);
      } finally {
        await database.drop();
        await rm(directory, { recursive: true });
      }
    });
  });
});
