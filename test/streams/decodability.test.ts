import { expect } from 'chai';
import { Type } from '../../src/schema/typebox.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import { isDecodable, createDecodabilityLookup, type DecodingOutcome } from '../../src/streams/decodability.ts';
import { defineEvent } from '../../src/streams/events.ts';
import type { JsonObject } from '../../src/schema/json.ts';
import { metadata } from '../support/examples.ts';

const upcasters = { 1: (data: JsonObject) => data, 2: (data: JsonObject) => data };
const moved = defineEvent('Moved', 'It moved.', { id: Type.String() }, { version: 3, upcasters });
const gapped = { ...moved, type: 'Gapped', upcasters: { 2: upcasters[2] } } as const;
const definitions = [moved, gapped];

const isDecoded = (type: string, version: number): boolean => {
  const event = { stream: 's-1', revision: 0, position: '1', id: 'e1', type, version, data: { id: 'x' }, metadata };
  try {
    return createDecoder(definitions)(event) !== undefined;
  } catch {
    return false;
  }
};

describe('The decodability of events', () => {
  const expected: readonly (readonly [string, number, DecodingOutcome, number | null])[] = [
    ['Moved', 3, 'readable', 3],
    ['Moved', 2, 'upcast', 3],
    ['Moved', 1, 'upcast', 3],
    ['Moved', 0, 'no-upcaster', 3],
    ['Moved', 4, 'newer', 3],
    ['Gapped', 2, 'upcast', 3],
    ['Gapped', 1, 'no-upcaster', 3],
    ['Vanished', 1, 'unknown-type', null],
    ['constructor', 1, 'unknown-type', null],
  ];
  for (const [type, version, reading, codeVersion] of expected)
    it(`of ${type} in version ${version} is ${reading}, as the decoder does`, () => {
      const decodability = createDecodabilityLookup(definitions)(type, version);
      expect(decodability).to.deep.equal({ reading, codeVersion });
      expect(isDecodable(decodability)).to.equal(isDecoded(type, version));
    });
});
