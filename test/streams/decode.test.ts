import { expect } from 'chai';
import { Type } from '../../src/schema/typebox.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import type { RecordedEvent } from '../../src/event-store/port.ts';
import { defineEvent } from '../../src/streams/events.ts';
import type { JsonObject } from '../../src/schema/json.ts';

/** An event whose shape changed twice: one name became two, then a count was added. */
const nameChanged = defineEvent(
  'NameChanged',
  'A person took another name.',
  { personId: Type.String(), firstName: Type.String(), lastName: Type.String(), times: Type.Integer({ minimum: 1 }) },
  {
    version: 3,
    upcasters: {
      1: ({ personId, name }) => {
        const [firstName = '', lastName = ''] = typeof name === 'string' ? name.split(' ') : [];
        return { personId: personId ?? null, firstName, lastName };
      },
      2: (data) => ({ ...data, times: 1 }),
    },
  },
);
const personLeft = defineEvent('PersonLeft', 'A person left.', { personId: Type.String() });

/** Without the upcaster from its first version. */
const gapped = { ...nameChanged, type: 'GappedChanged', upcasters: { 2: (data: JsonObject) => data } } as const;

const decode = createDecoder([nameChanged, personLeft, gapped]);

/** As each version was stored. Frozen, since a new version of the code does not change stored events. */
const stored = {
  v1: '{"personId":"p1","name":"Ada Lovelace"}',
  v2: '{"personId":"p1","firstName":"Ada","lastName":"Lovelace"}',
  v3: '{"personId":"p1","firstName":"Ada","lastName":"Lovelace","times":4}',
};
const context = { $correlationId: 'r1', $causationId: 'r1', actor: 'key:directory', requestId: 'r1' };
const metadata = { ...context, recordedAt: '2026-03-01T09:30:00.000Z' };

const recorded = (version: number, data: string, change: Partial<RecordedEvent> = {}): RecordedEvent => ({
  position: '0000000000000042',
  stream: 'person-p1',
  revision: 0,
  id: 'e1',
  type: 'NameChanged',
  version,
  data: JSON.parse(data) as JsonObject,
  metadata,
  ...change,
});

describe('createDecoder', () => {
  it('refuses an event of something else, and says what is wrong with it', () => {
    const foreign = recorded(0, '{}', { foreign: 'its data is not a JSON object' });
    expect(() => decode(foreign)).to.throw(
      'Event NameChanged at position 0000000000000042 cannot be read: its data is not a JSON object',
    );
    expect(decode({ ...foreign, type: 'Unknown' })).to.equal(undefined);
  });

  it('gives an event of the newest version with its data as stored and its metadata', () => {
    const data = { personId: 'p1', firstName: 'Ada', lastName: 'Lovelace', times: 4 };
    expect(decode(recorded(3, stored.v3))).to.deep.equal({ type: 'NameChanged', data, metadata });
  });

  it('upcasts the version before', () => {
    const data = { personId: 'p1', firstName: 'Ada', lastName: 'Lovelace', times: 1 };
    expect(decode(recorded(2, stored.v2))?.data).to.deep.equal(data);
  });

  it('upcasts the first version through all that followed', () => {
    const data = { personId: 'p1', firstName: 'Ada', lastName: 'Lovelace', times: 1 };
    expect(decode(recorded(1, stored.v1))?.data).to.deep.equal(data);
  });

  it('leaves the recorded event as it was', () => {
    const event = recorded(1, stored.v1);
    decode(event);
    expect(event).to.deep.equal(recorded(1, stored.v1));
  });

  it('gives undefined for a type that is none of its own', () => {
    expect(decode(recorded(1, '{}', { type: 'SomethingElse' }))).to.equal(undefined);
  });

  for (const type of ['constructor', '__proto__', 'toString'])
    it(`gives undefined for the type '${type}'`, () => {
      expect(decode(recorded(1, '{}', { type }))).to.equal(undefined);
    });

  it('refuses a version that is newer than the code, and says which event it is', () => {
    expect(() => decode(recorded(4, stored.v3))).to.throw(
      "Event NameChanged at position 0000000000000042 cannot be read: its version 4 is newer than this code's 3",
    );
  });

  it('refuses a version that no upcaster leads away from', () => {
    const event = recorded(1, stored.v1, { type: 'GappedChanged' });
    expect(() => decode(event)).to.throw(
      'GappedChanged at position 0000000000000042 cannot be read: there is no upcaster from version 1',
    );
  });

  const misfits = {
    'lacks a member': ['{"personId":"p1","firstName":"Ada","lastName":"Lovelace"}', 'data/times is required'],
    'has a member of another type': [
      '{"personId":"p1","firstName":7,"lastName":"L","times":1}',
      'data/firstName must be a string',
    ],
    'has a value out of bounds': [
      '{"personId":"p1","firstName":"A","lastName":"L","times":0}',
      'data/times must be >= 1',
    ],
    'has a member too many': [
      '{"personId":"p1","firstName":"A","lastName":"L","times":1,"extra":true}',
      "data must not have the member 'extra'",
    ],
  } as const;
  for (const [what, [data, reason]] of Object.entries(misfits))
    it(`refuses data that ${what}`, () => {
      expect(() => decode(recorded(3, data))).to.throw(
        `Event NameChanged at position 0000000000000042 cannot be read: ${reason}`,
      );
    });

  it('refuses old data that does not fit once it was upcast', () => {
    expect(() => decode(recorded(1, '{"name":"Ada Lovelace"}'))).to.throw('data/personId must be a string');
  });

  it('refuses metadata without a recorded time', () => {
    expect(() => decode(recorded(3, stored.v3, { metadata: context }))).to.throw('metadata/recordedAt is required');
  });
});
