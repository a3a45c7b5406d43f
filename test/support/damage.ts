import {
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import Database from 'libsql';
import { EVENTS_DATABASE_SCHEMA } from '../../src/event-store/embedded/schema.ts';

/** A damage of a SQLite file; `other` is a file of another kind beside it. */
export type Damage = (file: string, other: string) => void;

/** Bytes that look random and are the same in each run. */
const noise = (length: number): Buffer => {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 0xff;
    }),
  );
};

const within = (file: string, act: (descriptor: number, size: number) => void): void => {
  const descriptor = openSync(file, 'r+');
  try {
    act(descriptor, statSync(file).size);
  } finally {
    closeSync(descriptor);
  }
};
const overwrite = (file: string, from: number, length: number): void =>
  within(file, (descriptor) => writeSync(descriptor, noise(length), 0, length, from));
const remove = (file: string): void => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
};

/** Ways in which a disk, a copy or a person damages a file. */
export const damages: Readonly<Record<string, Damage>> = {
  'its header is overwritten': (file) => overwrite(file, 0, 100),
  'its first page is overwritten behind the header': (file) => overwrite(file, 100, 3_000),
  'its pages behind the first are overwritten': (file) =>
    within(file, (descriptor, size) => {
      const from = Math.min(16_384, size / 2);
      writeSync(descriptor, noise(size - from), 0, size - from, from);
    }),
  'it is cut to a page': (file) => within(file, (descriptor) => ftruncateSync(descriptor, 4_096)),
  'it is cut by half a page': (file) => within(file, (descriptor, size) => ftruncateSync(descriptor, size - 2_048)),
  'it has no bytes left': (file) => {
    remove(file);
    closeSync(openSync(file, 'w'));
  },
  'random bytes are changed all over': (file) =>
    within(file, (descriptor, size) => {
      for (let at = 0; at < size; at += 50) writeSync(descriptor, noise(3), 0, 3, at);
    }),
  'it is no database': (file) => {
    remove(file);
    closeSync(openSync(file, 'w'));
    overwrite(file, 0, 50_000);
  },
  'a directory stands in its place': (file) => {
    remove(file);
    mkdirSync(file);
  },
  'it is missing': remove,
};

/** Ways in which a write-ahead log is damaged: SQLite leaves out what is in it from the first fault on. */
export const damagesOfWal: Readonly<Record<string, Damage>> = {
  'its write-ahead log is overwritten': (file) => {
    const wal = `${file}-wal`;
    if (existsSync(wal)) overwrite(wal, Math.floor(statSync(wal).size / 2), 3_000);
  },
  'its write-ahead log is cut': (file) => {
    const wal = `${file}-wal`;
    if (existsSync(wal)) within(wal, (descriptor, size) => ftruncateSync(descriptor, Math.floor(size / 2) + 7));
  },
  'its write-ahead log is missing': (file) => {
    rmSync(`${file}-wal`, { force: true });
    rmSync(`${file}-shm`, { force: true });
  },
  'its write-ahead log is that of another file': (file, other) => {
    cpSync(`${other}-wal`, `${file}-wal`);
    rmSync(`${file}-shm`, { force: true });
  },
};

/** Makes an event log of so many events, each of a stream of its own and without a checksum, as earlier code did. */
export const eventsOf = (file: string, count: number): void => {
  const db = new Database(file);
  db.exec(EVENTS_DATABASE_SCHEMA);
  db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO events (position, stream, revision, id, type, version, data, metadata)
    SELECT i, 'posting-' || i, 0, 'e' || i, 'T', 1, json_object('text', printf('%0400d', i)), '{}' FROM n`);
  db.close();
};

const PAGE = 4_096;

/** Overwrites bytes of a leaf page of the table of events. @param number counted from 0; negative: from the last one */
export const damageLeaf = (
  file: string,
  number: number,
  damage: (page: Buffer) => { readonly at: number; readonly bytes: readonly number[] },
): void => {
  const db = new Database(file);
  const select = "SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' ORDER BY path";
  const leaves = db.prepare(select).raw().all([]) as (readonly [number])[];
  db.close();
  const [leaf] = leaves.at(number) ?? [];
  if (leaf === undefined) throw new Error(`There is no leaf ${number}`);
  within(file, (descriptor) => {
    const page = Buffer.alloc(PAGE);
    readSync(descriptor, page, 0, PAGE, (leaf - 1) * PAGE);
    const { at, bytes } = damage(page);
    writeSync(descriptor, Buffer.from(bytes), 0, bytes.length, (leaf - 1) * PAGE + at);
  });
};
