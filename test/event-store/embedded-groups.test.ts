import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { readSortedGroups } from '../../src/event-store/embedded/groups.ts';
import { toPosition } from '../../src/event-store/embedded/schema.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { parseGroupEvents } from '../../src/projector/apply-groups.ts';
import { writeTried } from '../support/foreign-events.ts';
import { directoryForEach } from '../support/files.ts';

describe('The groups in the file of a log', () => {
  const directory = directoryForEach('groups-');
  const file = () => join(directory(), 'events.db');
  let upTo = START_POSITION;
  const write = (...data: readonly string[]) => {
    writeTried(file(), data);
    upTo = toPosition(data.length);
  };
  const read = (after?: string) =>
    [...readSortedGroups(file(), { by: 'of', types: ['Tried'], upTo, batchSize: 1, after })].map((batch) => ({
      ids: parseGroupEvents(batch)
        .flat()
        .map(({ id }) => id),
      ended: batch.ended,
    }));
  beforeEach(async () => {
    await (await openEmbeddedEventStore(file())).close();
  });

  it('may be named by half a character, and are gone on with after it', () => {
    write('{"of":"\\udfff"}', '{"of":"a"}', '{"of":"\\ud800"}', '{}');
    const groups = read();
    expect(groups.map(({ ids }) => ids)).to.deep.equal([['e3'], ['e2'], ['e0'], ['e1']]);
    for (const [index, { ended }] of groups.entries())
      expect(
        read(ended).map(({ ids }) => ids),
        `after ${ended}`,
      ).to.deep.equal(groups.slice(index + 1).map(({ ids }) => ids));
  });

  it('have what ends within a text for SQLite, and what is no JSON, as every other read has it', () => {
    write('{"of":"a"}\0 and more', 'no JSON', '{"of":"a"}');
    expect(read().flatMap(({ ids }) => ids)).to.have.members(['e0', 'e1', 'e2']);
  });
});
