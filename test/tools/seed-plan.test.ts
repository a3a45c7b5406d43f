import { expect } from 'chai';
import { greatCircleDistance } from '../../src/domain/commute.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { createBatchHandler } from '../../src/tools/seed/seed.ts';
import { cities } from '../../src/tools/seed/lists.ts';
import { demoPersonasOf } from '../../src/tools/seed/people.ts';
import type { WorldOptions } from '../../src/tools/seed/world.ts';
import type { PlannedCommand } from '../../src/tools/seed/activity.ts';
import { planWorldCommands } from '../../src/tools/seed/plan.ts';
import { createValidator } from '../../src/schema/validation.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';

const small: WorldOptions = { seed: 7, candidates: 60 };
const DAY_MS = 86_400_000;

const plannedOf = (options: WorldOptions): PlannedCommand[] => [...planWorldCommands(options).batches].flat();
const named = (planned: readonly PlannedCommand[], name: string) =>
  planned.filter(({ command }) => command.name === name);
const told = (planned: readonly PlannedCommand[]) =>
  planned.map(({ command, envelope, ports: { clock, ids } }) => ({
    name: command.name,
    envelope,
    at: clock(),
    id: ids.uuid(),
    code: ids.code(),
  }));

describe('The plan of a world', () => {
  it('is the same for the same options', () => {
    expect(told(plannedOf(small))).to.deep.equal(told(plannedOf(small)));
  });

  for (const [what, other] of [
    ['seed', { ...small, seed: 8 }],
    ['size', { ...small, candidates: 61 }],
  ] as const)
    it(`shares no id with that of another ${what}`, () => {
      const ids = (planned: readonly PlannedCommand[]) => planned.map(({ envelope }) => envelope.requestId);
      const names = (options: WorldOptions) =>
        Object.values(demoPersonasOf(options)).map((person) => JSON.stringify(person));
      const mine = new Set([...ids(plannedOf(small)), ...names(small)]);
      expect([...ids(plannedOf(other)), ...names(other)].filter((id) => mine.has(id))).to.deep.equal([]);
    });

  it('has commands that the edge would let in', () => {
    const faults = plannedOf({ seed: 1, candidates: 400 }).flatMap(({ command, envelope }) => {
      const checks = [
        createValidator(command.params, 'path')(envelope.params),
        createValidator(command.body, 'body')(envelope.body),
      ];
      return checks.flatMap((check) => (check.ok ? [] : [`${command.name}: ${check.message}`]));
    });
    expect(faults).to.deep.equal([]);
  });

  it('goes forward in time, over the ninety days before March 2026', () => {
    const times = plannedOf(small).map(({ ports }) => ports.clock().toISOString());
    const end = Date.parse('2026-03-01T00:00:00.000Z');
    const first = end - 90 * DAY_MS;
    expect(times).to.deep.equal([...times].sort());
    expect(Date.parse(times[0] ?? '')).to.be.within(first, first + DAY_MS);
    expect(Date.parse(times.at(-1) ?? '')).to.be.within(first + 60 * DAY_MS, end - 1);
  });

  for (const candidates of [1, 7, 24, 300, 4_001]) {
    it(`of ${candidates} candidates has as many applications, no two of them alike`, () => {
      const applications = named(plannedOf({ seed: 3, candidates }), 'applyToPosting').map(
        ({ envelope: { actor, params } }) => `${actor} ${String(params['postingId'])}`,
      );
      expect(new Set(applications).size).to.equal(candidates);
      expect(applications).to.have.lengthOf(candidates);
    });
  }

  it('says before how many commands it has', () => {
    expect(planWorldCommands(small).total).to.equal(plannedOf(small).length);
  });

  it('grows with the number of candidates', () => {
    const planned = plannedOf({ seed: 1, candidates: 6_000 });
    expect(named(planned, 'recordOffice')).to.have.lengthOf(40);
    expect(named(planned, 'recordProfessional')).to.have.lengthOf(2_000);
    expect(named(planned, 'recordPosting')).to.have.lengthOf(132);
  });

  it('spreads candidates unevenly, with one posting that has a twenty-fifth of them', () => {
    const sizes = new Map<unknown, number>();
    for (const { envelope } of named(plannedOf({ seed: 1, candidates: 6_000 }), 'applyToPosting')) {
      const id = envelope.params['postingId'];
      sizes.set(id, (sizes.get(id) ?? 0) + 1);
    }
    const falling = [...sizes.values()].sort((a, b) => b - a);
    expect(sizes.get(demoPersonasOf({ seed: 1, candidates: 6_000 }).postingId)).to.equal(240);
    expect(falling[10]).to.be.above(2 * (falling[60] ?? 0));
  });

  it('has cities along a round trip, none far from the next', () => {
    const far = cities.filter(
      (city, index) => greatCircleDistance(city, cities[(index + 1) % cities.length] ?? city) > 600,
    );
    // From Salt Lake City the trip returns to its start.
    expect(far.map(({ name }) => name)).to.deep.equal(['Salt Lake City']);
    expect(new Set(cities.map(({ postalCode }) => postalCode)).size).to.equal(60);
  });

  it('touches no stream twice in a batch', async () => {
    const store = openMemoryEventStore();
    const carryOut = createBatchHandler(store);
    const touched: string[] = [];
    for (const [number, planned] of [...planWorldCommands(small).batches].entries()) {
      const before = await store.head();
      await carryOut(planned);
      await carryOut([]);
      const events = await store.readAll(number === 0 ? START_POSITION : before, 100_000);
      // One command may touch a stream more than once; another may not touch it again.
      const pairs = new Set(events.map(({ stream, metadata }) => JSON.stringify([stream, metadata['requestId']])));
      touched.push(...[...pairs].map((pair) => `${number} ${String((JSON.parse(pair) as string[])[0])}`));
    }
    expect(touched.filter((one, index) => touched.indexOf(one) !== index)).to.deep.equal([]);
    expect(touched).to.have.length.above(100);
  });
});
