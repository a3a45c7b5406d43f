import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { specialties } from '../../../projections/specialties.ts';
import { streamCategories } from '../../../src/domain/index.ts';
import type { RecordedAct } from '../../../src/audit/acts.ts';
import { NO_STREAM, type EventStore } from '../../../src/event-store/port.ts';
import { newEvents } from '../../contract/new-events.ts';
import { openLink } from '../../faults/link.ts';
import { writeForeign } from '../../support/foreign-events.ts';
import { streamsIn } from '../../support/log-stores.ts';
import { endLeftServices, runCli, serveHere } from '../../support/cli.ts';
import { configured } from '../../support/process.ts';
import { newPrefix, withServer } from '../../support/servers.ts';
import { openLogHere } from '../../support/threads-here.ts';

let directory: string;
const fileIn = (name: string) => join(directory, name, 'events.db');
const urlOf = (name: string) => `sqlite:${fileIn(name)}`;

const withLog = async <T>(name: string, use: (log: EventStore) => Promise<T>): Promise<T> => {
  const log = await openLogHere(fileIn(name));
  try {
    return await use(log);
  } finally {
    await log.close();
  }
};

const write = (name: string, streams: number, count: number) =>
  withLog(name, (log) =>
    Promise.all(
      Array.from({ length: streams }, async () => {
        const stream = `specialty-${randomUUID()}`;
        await log.append({ stream, expectedRevision: NO_STREAM, events: newEvents(count) });
        return stream;
      }),
    ),
  );
const contentOf = (name: string) => withLog(name, streamsIn);
/** Without the audit, in which a copy from the server is recorded on the server. */
const domainOf = async (name: string) =>
  Object.fromEntries(Object.entries(await contentOf(name)).filter(([stream]) => !stream.startsWith('audit-')));

const copy = (from: string, to: string, more: Readonly<Record<string, string>> = {}) =>
  runCli(directory, ['copy', '--from', from, '--to', to], { ...configured, ...more });

describe('hiring copy', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-copy-'));
    for (const name of ['from', 'other']) mkdirSync(join(directory, name));
  });
  afterEach(async () => {
    await endLeftServices();
    await rm(directory, { recursive: true });
  });

  it('copies a log, verifies it and says so; again it has nothing to do but to record that', async () => {
    await write('from', 10, 3);
    const first = await copy(urlOf('from'), urlOf('to'));
    expect(first).to.include({ code: 0 });
    expect(first.stdout).to.match(/^31 events of 11 streams, verified; 31 copied in .* 0 were there before; .*\n$/);
    expect(await contentOf('to')).to.deep.equal(await contentOf('from'));

    const second = await copy(urlOf('from'), urlOf('to'));
    expect(second.stdout).to.match(/^33 events of 1\d streams, verified; 1 copied in .* 32 were there before; .*\n$/);
  });

  it('is recorded in both logs, which are the same afterwards, without a login', async () => {
    await write('from', 1, 1);
    await copy(urlOf('from'), urlOf('to'));
    const audits = await Promise.all(
      ['from', 'to'].map((name) => runCli(join(directory, name), ['history', 'audit', '--json'])),
    );
    const [[act] = []] = audits.map(({ stdout }) => JSON.parse(stdout) as RecordedAct[]);
    expect(audits[1]?.stdout).to.equal(audits[0]?.stdout);
    expect(act).to.deep.include({
      operation: 'copy',
      actor: `os:${userInfo().username}`,
      parameters: { from: urlOf('from'), to: urlOf('to') },
      phase: 'completed',
    });
    expect(await contentOf('to')).to.deep.equal(await contentOf('from'));
  });

  it('is recorded as failed in the log that was to be copied', async () => {
    await write('from', 2, 1);
    await write('other', 1, 1);
    await copy(urlOf('from'), urlOf('other'));
    const { stdout } = await runCli(join(directory, 'from'), ['history', 'audit', '--json']);
    const [act] = JSON.parse(stdout) as RecordedAct[];
    expect(act).to.include({ operation: 'copy', phase: 'failed' });
    expect(act?.detail).to.match(/^--to holds something else/);
  });

  describe('says in one line, with exit code 2, and changes nothing,', () => {
    /** Progress lines may precede the refusal on standard error. */
    const expectRefusal = async (from: string, to: string, line: string) => {
      const { code, stdout, stderr } = await copy(from, to);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      expect(stderr.replace(/^(reading .*\n)+\n/, '')).to.equal(`hiring: ${line}\n`);
    };

    it('that the source is not there', async () => {
      await expectRefusal(urlOf('nowhere'), urlOf('to'), `--from names ${fileIn('nowhere')}, which is not there`);
      expect(await readdir(directory)).to.have.members(['from', 'other']);
    });

    it('that both are the same', async () => {
      await write('from', 1, 1);
      await expectRefusal(urlOf('from'), urlOf('from'), '--from and --to name the same file');
    });

    it('that both are servers', async () => {
      await expectRefusal(
        'esdb://127.0.0.1:1',
        'esdb://127.0.0.1:2',
        '--from and --to both name EventStoreDB; allowed: a file (sqlite:) as one of them',
      );
    });

    it('that a service runs on the source', async () => {
      await serveHere(join(directory, 'from'));
      await expectRefusal(
        urlOf('from'),
        urlOf('to'),
        `The data directory ${join(directory, 'from')} is in use by the process with pid ${process.pid}`,
      );
    });

    it('that the target holds another stream', async () => {
      await write('from', 2, 1);
      const [stream = ''] = await write('other', 1, 1);
      await expectRefusal(
        urlOf('from'),
        urlOf('other'),
        `--to holds something else: its stream ${stream} is not how one of --from begins; nothing was changed`,
      );
    });

    it('that the target holds the same events in another order', async () => {
      const events = newEvents(3);
      const [one, other] = ['specialty-one', 'specialty-other'];
      const append = (name: string, stream: string, revision: number) =>
        withLog(name, (log) =>
          log.append({ stream, expectedRevision: revision - 1, events: events.slice(revision, revision + 1) }),
        );
      for (const [name, first, second] of [
        ['from', one, other],
        ['other', other, one],
      ] as const) {
        await append(name, first, 0);
        await append(name, second, 0);
      }
      await expectRefusal(
        urlOf('from'),
        urlOf('other'),
        `--to holds events of --from in another order: its event 1 is revision 0 of the stream ${other}, where --from has revision 0 of ${one}; nothing was changed. Earlier versions copied so: copy to an empty store or to another EVENT_STORE_PREFIX`,
      );
    });

    it('that the target is no log', async () => {
      await write('from', 1, 1);
      await (await serveHere(join(directory, 'other'))).end();
      const readModels = join(directory, 'other', `read-models.db.specialties@${specialties.version}.1`);
      await expectRefusal(
        urlOf('from'),
        `sqlite:${readModels}`,
        `--to names ${readModels}, which holds something else: it is no log`,
      );
    });

    it('that something else has written to the source', async () => {
      await write('from', 1, 1);
      await writeForeign({ kind: 'sqlite', path: fileIn('from') }, 'specialty-a', 'Other');
      await expectRefusal(
        urlOf('from'),
        urlOf('to'),
        '--from holds something else: Event 0 of the stream specialty-a is not of this service: its data is not a JSON object',
      );
    });

    it('that the source is no log', async () => {
      await writeFile(fileIn('other'), 'this is no database, but a text that is long enough to look at');
      const { code, stderr } = await copy(urlOf('other'), urlOf('to'));
      expect(code).to.equal(2);
      expect(stderr).to.equal('hiring: --from cannot be used: file is not a database\n');
    });

    // EventStoreDB is given 4.5 s to answer.
    it('that the server does not answer', async () => {
      await write('from', 1, 1);
      await expectRefusal(
        urlOf('from'),
        'esdb://127.0.0.1:1?tls=false',
        '--to cannot be used: EventStoreDB does not answer',
      );
    });
  });

  withServer('to EventStoreDB', 'TEST_EVENTSTORE_URL', (url) => {
    it('copies a log up to EventStoreDB, and down again', async () => {
      const more = { EVENT_STORE_PREFIX: newPrefix() };
      await write('from', 20, 4);
      expect(await copy(urlOf('from'), url, more)).to.include({ code: 0 });
      expect(await copy(url, urlOf('back'), more)).to.include({ code: 0 });
      expect(await domainOf('back')).to.deep.equal(await domainOf('from'));
    });

    it('says in one line that the server has stopped answering, and goes on afterwards', async () => {
      const more = { EVENT_STORE_PREFIX: newPrefix() };
      const [stream = ''] = await write('from', 1, 3);
      const link = await openLink(url);
      try {
        // Given a copy whose first append is not answered
        void link.muteFrom((message) => message.includes(stream));
        const { code, stdout, stderr } = await copy(urlOf('from'), link.urlOf(url), more);

        // Then
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
        expect(stderr.trimEnd().split('\n').at(-1)).to.equal(
          'hiring: The copy was interrupted: EventStoreDB does not answer; the same command goes on where it stopped',
        );
      } finally {
        await link.close();
      }
      expect(await copy(urlOf('from'), url, more)).to.include({ code: 0 });
      expect(await copy(url, urlOf('back'), more)).to.include({ code: 0 });
      expect(await domainOf('back')).to.deep.equal(await domainOf('from'));
    });

    it('refuses what something else has written in streams that are named like ours', async () => {
      const prefix = newPrefix();
      const stream = `specialty-${randomUUID()}`;
      await writeForeign({ kind: 'eventstoredb', url, prefix, categories: streamCategories }, stream, 'Other');
      await write('from', 1, 1);
      const more = { EVENT_STORE_PREFIX: prefix };
      for (const [from, to, option] of [
        [urlOf('from'), url, '--to'],
        [url, urlOf('to'), '--from'],
      ] as const) {
        const { code, stderr } = await copy(from, to, more);
        expect(code).to.equal(2);
        expect(stderr).to.include(`hiring: ${option} holds something else: Event 0 of the stream ${stream} `);
      }
    });
  });
});
