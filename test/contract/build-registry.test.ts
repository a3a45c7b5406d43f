import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { toStoredRecord, type BuildRegistry } from '../../src/builds/registry.ts';
import type { ProjectionBuilds } from '../../src/builds/build-schema.ts';
import { createProjectionBuilds, markPaused } from '../../src/builds/transitions.ts';
import { openEmbeddedBuildRegistry } from '../../src/builds/embedded-registry.ts';
import { openMongoBuildRegistry } from '../../src/builds/mongodb-registry.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { newDatabase, withServer } from '../support/servers.ts';
import { NOW } from '../support/build-records.ts';

const lists = createProjectionBuilds('lists', 1, NOW);

interface Opened {
  /** Opens the same build registry once more, as another process does. */
  readonly open: () => BuildRegistry;
  /** Writes a record as another version of the code may have stored it. */
  readonly write: (name: string, record: object) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** The contract of every build registry, whatever it stores in. */
const registryContract = (name: string, start: () => Promise<Opened>): void => {
  describe(`build registry contract: ${name}`, () => {
    let opened: Opened;
    let [one, other]: readonly [BuildRegistry?, BuildRegistry?] = [];
    const both = (): readonly [BuildRegistry, BuildRegistry] => {
      if (!one || !other) throw new Error('The build registry is not open');
      return [one, other];
    };
    beforeEach(async () => {
      opened = await start();
      [one, other] = [opened.open(), opened.open()];
    });
    afterEach(async () => {
      for (const each of both()) await each.close();
      await opened.end();
    });

    it('holds nothing at first', async () => {
      expect([...(await both()[0].all())]).to.deep.equal([]);
    });

    it('knows no event log at first, and then the one that was noted last, by this process or another', async () => {
      const [mine, yours] = both();
      expect(await mine.firstOfLog()).to.equal(undefined);
      await mine.noteFirstEvent({ position: '1', id: 'a' });
      expect(await yours.firstOfLog()).to.deep.equal({ position: '1', id: 'a' });
      await yours.noteFirstEvent({ position: '7', id: 'b' });
      expect(await mine.firstOfLog()).to.deep.equal({ position: '7', id: 'b' });
      await yours.noteFirstEvent(undefined);
      expect(await mine.firstOfLog()).to.equal(undefined);
      expect([...(await mine.all())]).to.deep.equal([]);
    });

    it('keeps the note of lost events that was written last, by this process or another', async () => {
      const [mine, yours] = both();
      const last = { position: '7', id: 'b' };
      const lost = { log: 'a', last, foundAt: '2026-03-02T09:00:00.000Z', text: 'it lacks 1 event' };
      expect(await mine.logLoss()).to.equal(undefined);
      await mine.noteLogLoss(lost);
      await mine.noteLogLoss({ ...lost, text: 'it lacks 2 events' });
      expect(await yours.logLoss()).to.deep.equal({ ...lost, text: 'it lacks 2 events' });
    });

    it('gives what was changed, by this process or another, and calls act with nothing the first time', async () => {
      const [mine, yours] = both();
      const seen: (ProjectionBuilds | undefined)[] = [];
      const given = await mine.change('lists', (before) => {
        seen.push(before);
        return lists;
      });
      expect(given).to.deep.equal(lists);
      expect([...(await yours.all())]).to.deep.equal([['lists', lists]]);
      await yours.change('lists', (before) => {
        seen.push(before);
        return markPaused(before ?? lists, 'ada', NOW);
      });
      expect(seen).to.deep.equal([undefined, lists]);
      expect((await mine.all()).get('lists')?.paused).to.deep.equal({ since: NOW, by: 'ada' });
    });

    it('keeps records of several projections apart', async () => {
      const [mine] = both();
      await mine.change('lists', () => lists);
      await mine.change('others', () => createProjectionBuilds('others', 2, NOW));
      expect([...(await mine.all()).keys()].sort()).to.deep.equal(['lists', 'others']);
    });

    it('throws what act throws, and changes nothing', async () => {
      const [mine] = both();
      await mine.change('lists', () => lists);
      const [outcome] = await Promise.allSettled([
        mine.change('lists', () => {
          throw new Error('no');
        }),
      ]);
      expect(outcome).to.have.nested.property('reason.message', 'no');
      expect((await mine.all()).get('lists')).to.deep.equal(lists);
      await mine.change('lists', (before) => markPaused(before ?? lists, 'ada', NOW));
      expect((await mine.all()).get('lists')?.paused?.by).to.equal('ada');
    });

    it('loses no change of two who change at once', async () => {
      const [mine, yours] = both();
      await mine.change('lists', () => lists);
      const addOne = (before: ProjectionBuilds | undefined): ProjectionBuilds => {
        const record = before ?? lists;
        return { ...record, nextNumber: record.nextNumber + 1 };
      };
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? mine : yours).change('lists', addOne)),
      );
      expect((await mine.all()).get('lists')?.nextNumber).to.equal(lists.nextNumber + 8);
    });

    it('loses no change of two who begin a record at once', async () => {
      const [mine, yours] = both();
      const begin = (before: ProjectionBuilds | undefined): ProjectionBuilds =>
        before ? { ...before, nextNumber: before.nextNumber + 1 } : lists;
      await Promise.all([mine.change('lists', begin), yours.change('lists', begin)]);
      expect((await mine.all()).get('lists')?.nextNumber).to.equal(lists.nextNumber + 1);
    });

    it('stores the active build as `live`, and reads it back', async () => {
      await opened.write('lists', toStoredRecord(lists));
      const [mine] = both();
      expect(toStoredRecord(lists)).to.include({ live: 'lists@1.1' });
      expect((await mine.all()).get('lists')).to.deep.equal(lists);
    });

    it('refuses what it cannot have written', async () => {
      await opened.write('lists', { ...toStoredRecord(lists), live: 7 });
      const [mine] = both();
      const outcomes = await Promise.allSettled([mine.all(), mine.change('lists', () => lists)]);
      for (const outcome of outcomes) {
        // On files it is a damaged file, of which a client is told no more than that.
        const error = (outcome as { readonly reason?: Error }).reason;
        const { message } = error?.cause instanceof Error ? error.cause : (error ?? new Error());
        expect(message).to.match(/^The build registry cannot be read: /);
      }
    });
  });
};

registryContract('memory', () => {
  const kept = new Map<string, unknown>();
  return Promise.resolve({
    open: () => openMemoryBuildRegistry(kept),
    write: (name, record) => Promise.resolve(void kept.set(name, record)),
    end: () => Promise.resolve(),
  });
});

registryContract('embedded', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'catalogue-'));
  const file = join(directory, 'projections.db');
  return {
    open: () => openEmbeddedBuildRegistry(file),
    write(name, record) {
      const database = new Database(file);
      database
        .prepare('INSERT OR REPLACE INTO catalogue (name, entry) VALUES (?, ?)')
        .run([name, JSON.stringify(record)]);
      database.close();
      return Promise.resolve();
    },
    end: () => rm(directory, { recursive: true }),
  };
});

withServer('build registry contract: MongoDB', 'TEST_MONGODB_URL', (server) => {
  registryContract('MongoDB', () => {
    const { url, drop } = newDatabase(server);
    return Promise.resolve({
      open: () => openMongoBuildRegistry(url),
      async write(name, record) {
        const client = new MongoClient(url);
        const registry = client.db().collection<{ _id: string; revision: number; entry: object }>('catalogue');
        await registry.insertOne({ _id: name, revision: 1, entry: record });
        await client.close();
      },
      end: drop,
    });
  });
});
