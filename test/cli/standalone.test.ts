import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';
import { runCli } from '../support/cli.ts';
import { configured } from '../support/process.ts';

const NAME = 'A standalone MongoDB server';

withOwnServers(NAME, ['mongo'], () => {
  describe(NAME, () => {
    let directory: string;
    let server: OwnServer;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hiring-standalone-'));
      server = await ownServer('mongo', {}, ['--standalone']);
      await server.start();
    });
    after(async () => {
      await server.remove();
      await rm(directory, { recursive: true });
    });

    for (const command of [['serve'], ['projections', 'verify', '--all']])
      it(`is refused in one line that says how to make it a replica set: ${command.join(' ')}`, async () => {
        const { code, stdout, stderr } = await runCli(directory, command, {
          ...configured,
          EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
          READ_MODEL_URL: server.url.replace('/?', '/hiring?'),
        });
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr).to.match(
          /^hiring: READ_MODEL_URL names a standalone MongoDB server.*--replSet.*rs\.initiate\(\).*\n$/,
        );
      });
  });
});
