import * as fs from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { join } from 'node:path';
import type { ExportFormatOptions } from '../../../src/history/export/formats.ts';
import { MANIFEST_FILE, readManifest } from '../../../src/history/export/manifest.ts';
import { eventLists, eventsIn, exportInto, filesOf, inDirectory, PART_EVENTS, storeOf } from './stage.ts';
import { refusalOf, rejectionOf } from '../../support/refusal-of.ts';

describe('An export that is told to end', () => {
  it('keeps what is whole, and goes on from there', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 11 });
      const [whole, ended] = [join(directory, 'whole'), join(directory, 'ended')];
      const form: ExportFormatOptions = { format: 'ndjson', types: undefined };
      const log = await storeOf(events);
      const [ending, told] = [new AbortController(), new Error('told to end')];
      let read = 0;
      const throttle = (more: number): Promise<void> => {
        read += more;
        if (read > PART_EVENTS) ending.abort(told);
        return Promise.resolve();
      };
      const run = exportInto(log, ended, form, { signal: ending.signal, throttle });
      expect(await rejectionOf(run)).to.equal(told);
      expect(readManifest(ended)?.parts).to.have.length(1);
      await exportInto(log, ended, form);
      await exportInto(log, whole, form);
      expect(await filesOf(ended)).to.deep.equal(await filesOf(whole));
    }));
});

describe('An export of which a part cannot be ended', () => {
  it('throws why, and appends no other part before', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 11 });
      expect(events).to.have.length.above(2 * PART_EVENTS);
      const isFull = new Error('no space is left');
      let synced = 0;
      const fsyncSync = (): void => {
        // The first two manifests, each with its directory.
        if (++synced > 4) throw isFull;
      };
      let read = 0;
      const throttle = (more: number): Promise<void> => {
        read += more;
        return Promise.resolve();
      };
      const form: ExportFormatOptions = { format: 'ndjson', types: undefined };
      const run = exportInto(await storeOf(events), join(directory, 'out'), form, {
        operations: { ...fs, fsyncSync },
        throttle,
      });
      expect(await rejectionOf(run)).to.equal(isFull);
      expect(read).to.equal(PART_EVENTS);
    }));
});

describe('An export that has masks of an earlier scheme', () => {
  const types = ['PostingSaved'];
  const form: ExportFormatOptions = { format: 'csv', types };
  /** An export as the first scheme has made it, and what one that is made anew is. */
  const earlier = async (directory: string) => {
    const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 3 });
    const log = await storeOf(events);
    const [there, anew] = [join(directory, 'there'), join(directory, 'anew')];
    await exportInto(log, anew, form);
    await exportInto(log, there, form);
    const manifest = join(there, MANIFEST_FILE);
    const { withheld: _, ...made } = readManifest(there) ?? {};
    const other = { ...made, masks: '"masked-0123456789abcdef"', definitions: 'others', code: '0.9.0' };
    fs.writeFileSync(manifest, JSON.stringify(other));
    fs.appendFileSync(join(there, 'PostingSaved-00001.csv'), 'masks of old\r\n');
    return { log, there, anew };
  };

  it('is made anew by the same command, which says so', () =>
    inDirectory(async (directory) => {
      const { log, there, anew } = await earlier(directory);
      let said = 0;
      const onRestart = () => {
        said++;
      };
      for (let run = 0; run < 2; run++) await exportInto(log, there, form, { onRestart });
      expect(await filesOf(there)).to.deep.equal(await filesOf(anew));
      expect(said).to.equal(1);
    }));

  it('is refused where another format or personal data is asked for', () =>
    inDirectory(async (directory) => {
      const { log, there } = await earlier(directory);
      const ndjson = exportInto(log, there, { format: 'ndjson', types });
      expect((await refusalOf(ndjson)).message).to.match(/with the format csv; asked for is the format ndjson;/);
      const personal = exportInto(log, there, form, { withPersonalData: true });
      expect((await refusalOf(personal)).message).to.include('asked for is personal data');
    }));
});

describe('An export that is run again later', () => {
  it('adds the new parts, and leaves the others as they are', () =>
    fc.assert(
      fc.asyncProperty(eventLists, fc.nat({ max: 100 }), (events, percent) =>
        inDirectory(async (directory) => {
          const form: ExportFormatOptions = { format: 'csv', types: undefined };
          const log = await storeOf(events);
          const all = await eventsIn(log);
          const upTo = all[Math.floor(((all.length - 1) * percent) / 100)]?.position ?? '0';
          const first = await exportInto(log, directory, form, { upTo });
          const before = await filesOf(directory);
          const second = await exportInto(log, directory, form);
          const after = await filesOf(directory);
          expect(second.parts.slice(0, first.parts.length)).to.deep.equal(first.parts);
          expect(second.parts.reduce((sum, part) => sum + part.events, 0)).to.equal(all.length);
          for (const [name, bytes] of before)
            if (name !== 'manifest.json') expect(after.get(name), name).to.equal(bytes);
        }),
      ),
      { numRuns: 3 },
    ));

  it('makes the same file of NDJSON, in however many runs', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 3 });
      const form: ExportFormatOptions = { format: 'ndjson', types: undefined };
      const log = await storeOf(events);
      const [one, two] = [join(directory, 'one'), join(directory, 'two')];
      await exportInto(log, one, form);
      for (const { position } of await eventsIn(log)) await exportInto(log, two, form, { upTo: position });
      const name = 'events.ndjson';
      expect((await filesOf(two)).get(name)).to.equal((await filesOf(one)).get(name));
    }));

  it('has what was recorded by a time, also what was appended since', () =>
    inDirectory(async (directory) => {
      const [events = []] = fc.sample(eventLists, { numRuns: 1, seed: 3 });
      const form: ExportFormatOptions = { format: 'ndjson', types: undefined };
      const log = await storeOf(events);
      const all = await eventsIn(log);
      const times = all.map(({ metadata: { recordedAt } }) => (typeof recordedAt === 'string' ? recordedAt : ''));
      const at = [...times].sort()[Math.floor(times.length / 2)] ?? '';
      for (const end of [all[Math.floor(all.length / 2)], all.at(-1)])
        await exportInto(log, directory, form, { at, upTo: end?.position ?? '' });
      const text = Buffer.from((await filesOf(directory)).get('events.ndjson') ?? '', 'base64').toString();
      const exported = text
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id);
      expect(exported).to.deep.equal(all.filter((_, index) => (times[index] ?? '') <= at).map(({ id }) => id));
    }));
});
