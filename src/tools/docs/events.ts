import type { Decider } from '../../streams/decider.ts';
import { Metadata, type EventDefinition } from '../../streams/events.ts';
import { inlineCode, GENERATED_NOTICE, markdownTable } from './markdown.ts';
import { schemaRowsOf } from './schema-rows.ts';

type Streams = Pick<Decider<unknown>, 'category' | 'events'>;

/** By convention the first member of an event is the id in the name of its stream. */
const idOf = ({ events }: Streams): string => Object.keys(events[0]?.data.properties ?? {})[0] ?? 'id';

const eventSection = ({ type, version, summary, data }: EventDefinition): string[] => [
  `### ${type}`,
  '',
  `${summary} Version ${version}.`,
  '',
  ...markdownTable(
    ['member', 'type', 'personal data', ''],
    schemaRowsOf(data).map(({ name, type: what, notes, personal }) => [
      inlineCode(name),
      what,
      personal ? `${personal.kind}, of ${inlineCode(personal.subject)}` : '',
      notes,
    ]),
  ),
];

const streamSection = (streams: Streams): string[] => [
  `## ${streams.category}`,
  '',
  `Streams ${inlineCode(`${streams.category}-<${idOf(streams)}>`)}.`,
  '',
  ...streams.events.flatMap(eventSection),
];

/** `docs/events.md`: the catalogue of events, from the schemas that check them. */
export const eventsPage = (deciders: readonly Streams[]): string =>
  [
    GENERATED_NOTICE,
    '',
    '# Events',
    '',
    'Every event of the event log, by kind of stream, with the members of its newest version. The column `data` of `events.db` holds them as',
    'JSON, `metadata` those of the last section. [history.md](history.md#which-events-there-are) tells of older versions.',
    'An _identifier_ is 1 to 128 characters out of `A-Z a-z 0-9 . _ ~ | @ + = -`, and not `.` or `..`. A _timestamp_ is RFC 3339 in UTC with',
    'milliseconds. A _text_ holds no control characters but tab, LF and CR; its length is counted in code points. _Personal data_ tells',
    'something of a person; the column has its kind, and the member that says whose it is.',
    '',
    ...markdownTable(
      ['stream', 'events'],
      deciders.map((streams) => [
        inlineCode(`${streams.category}-<${idOf(streams)}>`),
        streams.events.map(({ type }) => `[${type}](#${type.toLowerCase()})`).join(', '),
      ]),
    ),
    ...deciders.flatMap(streamSection),
    '## Metadata',
    '',
    'Beside its data every event carries:',
    '',
    ...markdownTable(
      ['member', 'type', ''],
      schemaRowsOf(Metadata).map(({ name, type, notes }) => [inlineCode(name), type, notes]),
    ),
  ].join('\n');
