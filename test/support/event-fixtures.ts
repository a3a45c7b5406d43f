import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { schemaRowsOf } from '../../src/tools/docs/schema-rows.ts';
import { createDecoder } from '../../src/streams/decode.ts';
import type { RecordedEvent } from '../../src/event-store/port.ts';
import type { EventDefinition } from '../../src/streams/events.ts';
import { canonicalJson, isObject, type JsonObject } from '../../src/schema/json.ts';
import { createValidator } from '../../src/schema/validation.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'events');

const Members = Type.Record(Type.String(), Type.Unknown());
/** Events as stored, each with the data that the current code reads from it. */
const Examples = Type.Array(Type.Object({ data: Members, metadata: Members, decoded: Members }), { minItems: 1 });
type Examples = Static<typeof Examples>;

/** The examples of each file, by its name without `.json`. */
export type EventFixtures = ReadonlyMap<string, Examples>;

/** @throws Error for a file of another form than the tests know */
export const readEventFixtures = (): EventFixtures =>
  new Map(
    readdirSync(folder).map((file) => {
      const checked = createValidator(Examples, file)(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      if (!checked.ok) throw new Error(checked.message);
      return [file.replace(/\.json$/, ''), checked.value];
    }),
  );

const nameOf = (type: string, version: number) => `${type}.v${version}`;
const versionsOf = ({ type, version }: EventDefinition) =>
  Array.from({ length: version }, (_, index) => nameOf(type, index + 1));

const recorded = (name: string, { data, metadata }: Examples[number]): RecordedEvent => {
  const [, type = '', version = ''] = /^(.*)\.v(\d+)$/.exec(name) ?? [];
  return {
    position: '0000000000000042',
    stream: 'fixture-1',
    revision: 0,
    id: 'e1',
    type,
    version: Number(version),
    // JSON.parse gives JSON.
    data: data as JsonObject,
    metadata: metadata as JsonObject,
  };
};

const readingFaults = (
  name: string,
  examples: Examples,
  decode: ReturnType<typeof createDecoder<EventDefinition>>,
): string[] =>
  examples.flatMap((example) => {
    try {
      const event = decode(recorded(name, example));
      const isAsSaid =
        canonicalJson(event?.data) === canonicalJson(example.decoded) &&
        canonicalJson(event?.metadata) === canonicalJson(example.metadata);
      return isAsSaid ? [] : [`${name}.json is read as something else than it says`];
    } catch (error) {
      return [`${name}.json: ${error instanceof Error ? error.message : String(error)}`];
    }
  });

/** The values at a place as `schemaRowsOf` names it: `address[].city`. */
const valuesAt = (value: unknown, [member = '', ...inner]: readonly string[]): unknown[] => {
  if (!isObject(value)) return [];
  const name = member.replace(/\[\]$/, '');
  const found = name in value ? [value[name]] : [];
  const each: unknown[] = member.endsWith('[]') ? found.flat() : found;
  return inner.length === 0 ? each : each.flatMap((one) => valuesAt(one, inner));
};

/** Members of the newest version that no example covers: code could stop reading them, and no test would fail. */
const unshown = ({ type, version, data }: EventDefinition, fixtures: EventFixtures): string[] => {
  const examples = fixtures.get(nameOf(type, version)) ?? [];
  return schemaRowsOf(data).flatMap(({ name, type: words }) => {
    const values = examples.flatMap((example) => valuesAt(example.data, name.split('.')));
    const wanted = words.endsWith(', or null') ? [true, false] : [false];
    return wanted
      .filter((isNull) => !values.some((value) => (value === null) === isNull))
      .map((isNull) => `${nameOf(type, version)}.json has no ${isNull ? 'null' : 'value'} at ${name}`);
  });
};

/** A line for each fixture that is missing, superfluous, or not read as it says. */
export const fixtureFaults = (definitions: readonly EventDefinition[], fixtures: EventFixtures): string[] => {
  const wanted = definitions.flatMap(versionsOf);
  const decode = createDecoder(definitions);
  const there = [...fixtures].filter(([name]) => wanted.includes(name));
  return [
    ...wanted.filter((name) => !fixtures.has(name)).map((name) => `${name}.json is missing`),
    ...[...fixtures.keys()]
      .filter((name) => !wanted.includes(name))
      .map((name) => `${name}.json is of no type and version that the code knows`),
    ...there.flatMap(([name, examples]) => readingFaults(name, examples, decode)),
    ...definitions
      .filter(({ type, version }) => fixtures.has(nameOf(type, version)))
      .flatMap((definition) => unshown(definition, fixtures)),
  ];
};
