import { once } from 'node:events';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import Database from 'libsql';
import { countLogContent } from '../../src/event-store/embedded/backup.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { newEvent } from '../contract/new-events.ts';
import { runCli } from '../support/cli.ts';
import { configured, spawnCli } from '../support/process.ts';
import { directoryForEach } from '../support/files.ts';

const OLD = 3_000;
const BACKED_UP = 2_000;
const KILLS = 24;

/** An event log of so many events in a directory. */
const write = async (directory: string, events: number): Promise<void> => {
  const log = await openEmbeddedEventStore(join(directory, 'events.db'));
  for (let at = 0; at < events; at += 100)
    await log.append({
      stream: `posting-${at}`,
      expectedRevision: -1,
      events: Array.from({ length: 100 }, () => newEvent({ text: 'x'.repeat(1_000) })),
    });
  await log.close();
  // Readers that are not collected yet still have it open, and remove its write-ahead log at any moment.
  const database = new Database(join(directory, 'events.db'));
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
};
const isWhole = (path: string): boolean => !/-(?:wal|shm)$/.test(path);

describe('A restore that is killed', function () {
  this.timeout(120_000);
  const place = directoryForEach('restore-kills-');

  it('leaves the old event log or the restored one, whole, and can be run again', async () => {
    // Given a backup, and a data directory with another event log
    const [source, old, file] = [join(place(), 'source'), join(place(), 'old'), join(place(), 'backup.db')];
    for (const [directory, events] of [
      [source, BACKED_UP],
      [old, OLD],
    ] as const) {
      await mkdir(directory);
      await write(directory, events);
    }
    await runCli(source, ['backup', '--to', file]);
    const restored = countLogContent(file).events + 2;
    const args = ['restore', '--from', file, '--replace'];

    // When it is restored and killed, ever later, until it ends by itself
    const seen = new Set<number>();
    let took = 0;
    for (let kill = 0; kill <= KILLS; kill++) {
      const directory = join(place(), `killed-${kill}`);
      await cp(old, directory, { recursive: true, filter: isWhole });
      const started = performance.now();
      const child = spawnCli(directory, args, configured);
      const ended = once(child, 'exit');
      if (kill === 0) {
        await ended;
        took = performance.now() - started;
      } else {
        await Promise.race([ended, delay((took * kill) / KILLS)]);
        child.kill('SIGKILL');
        await ended;
      }

      // Then what is there is whole, and the same again ends well
      const { events } = countLogContent(join(directory, 'events.db'));
      expect(events).to.be.oneOf([OLD, restored]);
      seen.add(events);
      const again = await runCli(directory, args);
      expect([again.code, again.stderr]).to.deep.equal([0, '']);
      expect(countLogContent(join(directory, 'events.db')).events).to.equal(restored);
      await rm(directory, { recursive: true });
    }
    expect([...seen]).to.have.members([OLD, restored]);
  });
});
