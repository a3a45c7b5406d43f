import { expect } from 'chai';
import { Type } from '../../src/schema/typebox.ts';
import { eventDefinitions } from '../../src/domain/index.ts';
import { defineEvent, type EventDefinition } from '../../src/streams/events.ts';
import { nullable, object } from '../../src/schema/schema.ts';
import { fixtureFaults, readEventFixtures, type EventFixtures } from '../support/event-fixtures.ts';
import { metadata } from '../support/examples.ts';

describe('The frozen fixtures of events', () => {
  const fixtures = readEventFixtures();

  it('are there for every version of every type, and read as they say', () => {
    expect(fixtureFaults(eventDefinitions, fixtures)).to.deep.equal([]);
  });

  describe('show', () => {
    const properties = { firstName: Type.String(), lastName: Type.String() };
    const upcasters: EventDefinition['upcasters'] = {
      1: ({ name }) => {
        const [firstName = '', lastName = ''] = typeof name === 'string' ? name.split(' ') : [];
        return { firstName, lastName };
      },
    };
    const named: EventDefinition = defineEvent('Named', 'A person has a name.', properties, { version: 2, upcasters });
    const ada = { firstName: 'Ada', lastName: 'Lovelace' };
    const stored: EventFixtures = new Map([
      ['Named.v1', [{ data: { name: 'Ada Lovelace' }, metadata, decoded: ada }]],
      ['Named.v2', [{ data: ada, metadata, decoded: ada }]],
    ]);
    const without = (name: string) => new Map([...stored].filter(([other]) => other !== name));

    it('nothing when all is well', () => {
      expect(fixtureFaults([named], stored)).to.deep.equal([]);
    });

    it('a version without a fixture', () => {
      expect(fixtureFaults([named], without('Named.v1'))).to.deep.equal(['Named.v1.json is missing']);
      expect(fixtureFaults([named], without('Named.v2'))).to.deep.equal(['Named.v2.json is missing']);
    });

    it('a type that is gone from the code, and a version that the code does not know yet', () => {
      expect(fixtureFaults([], without('Named.v1'))).to.deep.equal([
        'Named.v2.json is of no type and version that the code knows',
      ]);
      expect(fixtureFaults([{ ...named, version: 1 }], stored)).to.include(
        'Named.v2.json is of no type and version that the code knows',
      );
    });

    it('a member that was added without a new version', () => {
      const data = object({ ...properties, middleName: Type.String() });
      expect(fixtureFaults([{ ...named, data }], stored)).to.include(
        'Named.v2.json: Event Named at position 0000000000000042 cannot be read: data/middleName is required',
      );
    });

    it('a member that was taken away without a new version', () => {
      const data = object({ firstName: Type.String() });
      expect(fixtureFaults([{ ...named, data }], stored)).to.include(
        "Named.v2.json: Event Named at position 0000000000000042 cannot be read: data must not have the member 'lastName'",
      );
    });

    it('an upcaster that is missing', () => {
      expect(fixtureFaults([{ ...named, upcasters: {} }], stored)).to.deep.equal([
        'Named.v1.json: Event Named at position 0000000000000042 cannot be read: there is no upcaster from version 1',
      ]);
    });

    it('an upcaster that makes something else of an old event than it did', () => {
      const swapped: EventDefinition['upcasters'] = { 1: () => ({ firstName: 'Lovelace', lastName: 'Ada' }) };
      expect(fixtureFaults([{ ...named, upcasters: swapped }], stored)).to.deep.equal([
        'Named.v1.json is read as something else than it says',
      ]);
    });

    it('a member of the newest version that no example has, or none with null where that may be', () => {
      const longer = object({ ...properties, title: Type.Optional(Type.String()) });
      expect(fixtureFaults([{ ...named, data: longer }], stored)).to.deep.equal([
        'Named.v2.json has no value at title',
      ]);
      const looser = object({ ...properties, lastName: nullable(Type.String()) });
      expect(fixtureFaults([{ ...named, data: looser }], stored)).to.deep.equal([
        'Named.v2.json has no null at lastName',
      ]);
    });
  });
});
