import { join } from 'node:path';
import { expect } from 'chai';
import { savedPostings } from '../../../src/domain/saved-postings.ts';
import { START, type Position } from '../../../src/event-store/port.ts';
import { encodedBeside } from '../../../src/history/export/encoded-beside.ts';
import type { ExportForm } from '../../../src/history/export/formats.ts';
import { A_SLICE, slicesOf } from '../../../src/history/export/slices.ts';
import { openLog } from '../../../src/stores.ts';
import { on, storeWith } from '../../support/facts.ts';
import { exportInto, filesOf, inDirectory, maskSecret, type Exporting } from './stage.ts';
import { openLogHere } from '../../support/threads-here.ts';
import { rejectionOf } from '../../support/refusal-of.ts';

/** More than threads encode at a time, and no multiple of it. */
const PART_EVENTS = A_SLICE + 50;
const EVENTS = 2 * PART_EVENTS + 100;

const forms: readonly ExportForm[] = [
  { format: 'ndjson', types: undefined },
  { format: 'csv', types: undefined },
  { format: 'csv', types: undefined, caseOf: 'professional' },
  { format: 'parquet', types: undefined },
];

const position = (number: number): Position => String(number).padStart(16, '0');

/** An event log in a file of a directory. */
const fileWith = async (directory: string): Promise<string> => {
  const path = join(directory, 'events.db');
  const store = await openLogHere(path);
  const facts = Array.from({ length: EVENTS }, (_, number) => {
    const data = { professionalId: `p${number % 9}`, postingId: `posting-${Math.floor(number / 18)}` };
    const type = Math.floor(number / 9) % 2 === 0 ? 'PostingSaved' : 'PostingUnsaved';
    return on(savedPostings, data.professionalId)({ type, data });
  });
  await storeWith(facts, store);
  await store.close();
  return path;
};

/** Exports a file into a directory, with or without threads that encode. */
const exportFile = async (
  path: string,
  directory: string,
  form: ExportForm,
  { beside, ...exporting }: Pick<Exporting, 'signal' | 'throttle'> & { readonly beside: boolean },
): Promise<void> => {
  const eventStore = { kind: 'sqlite', path } as const;
  const readRows = beside ? encodedBeside({ eventStore, form, maskSecret }) : undefined;
  const log = await openLog(eventStore, () => undefined);
  try {
    await exportInto(log, directory, form, { ...exporting, partEvents: PART_EVENTS, readRows });
  } finally {
    await log.close();
  }
};

describe('An export whose events are encoded by threads in turn', function () {
  this.timeout(120_000);

  it('makes the same files as one that one thread encodes', () =>
    inDirectory(async (directory) => {
      const path = await fileWith(directory);
      for (const [number, form] of forms.entries()) {
        const [one, several] = [join(directory, `one-${number}`), join(directory, `several-${number}`)];
        await exportFile(path, one, form, { beside: false });
        await exportFile(path, several, form, { beside: true });
        const files = await filesOf(one);
        expect(files.size).to.be.above(1);
        expect(await filesOf(several)).to.deep.equal(files);
      }
    }));

  it('ends when it is told to, and goes on from what is whole', () =>
    inDirectory(async (directory) => {
      const path = await fileWith(directory);
      const form: ExportForm = { format: 'ndjson', types: undefined };
      const [ended, whole] = [join(directory, 'ended'), join(directory, 'whole')];
      const [ending, told] = [new AbortController(), new Error('told to end')];
      let read = 0;
      const run = exportFile(path, ended, form, {
        beside: true,
        signal: ending.signal,
        throttle: (more) => {
          read += more;
          if (read > PART_EVENTS) ending.abort(told);
          return Promise.resolve();
        },
      });
      expect(await rejectionOf(run)).to.equal(told);
      await exportFile(path, ended, form, { beside: true });
      await exportFile(path, whole, form, { beside: false });
      expect(await filesOf(ended)).to.deep.equal(await filesOf(whole));
    }));

  it('fails where a thread does', () =>
    inDirectory(async (directory) => {
      const read = encodedBeside({
        eventStore: { kind: 'sqlite', path: join(directory, 'none', 'events.db') },
        form: { format: 'ndjson', types: undefined },
        maskSecret,
      });
      const range = { after: START, upTo: position(EVENTS) };
      const first = read(range, PART_EVENTS, new AbortController().signal).next();
      expect(await rejectionOf(first)).to.be.instanceOf(Error);
    }));
});

describe('The slices of an export', () => {
  it('follow each other, and end with each part', () => {
    const range = { after: position(100), upTo: position(100 + EVENTS) };
    const ends = [...slicesOf(range, PART_EVENTS)].map(({ after, upTo }) => [Number(after), Number(upTo)]);
    expect(ends).to.deep.equal([
      [100, 100 + A_SLICE],
      [100 + A_SLICE, 100 + PART_EVENTS],
      [100 + PART_EVENTS, 100 + PART_EVENTS + A_SLICE],
      [100 + PART_EVENTS + A_SLICE, 100 + 2 * PART_EVENTS],
      [100 + 2 * PART_EVENTS, 100 + EVENTS],
    ]);
  });

  it('are none where there are no events', () => {
    expect([...slicesOf({ after: position(5), upTo: position(5) }, PART_EVENTS)]).to.deep.equal([]);
  });
});
