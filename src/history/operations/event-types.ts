import { Type, type Static } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { isDecodable, createDecodabilityLookup } from '../../streams/decodability.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { nullable, object } from '../../schema/schema.ts';
import { Moment, createMomentFilter, momentText } from '../moment/moment.ts';
import { defineHistoryOperation } from './operation.ts';
import { atParameters, requestedMoment } from './shapes.ts';

const PlaceShown = object({ position: Type.String(), recordedAt: nullable(Type.String()) }, { title: 'EventPlace' });

/** The events of one type and version. */
const EventTypeShown = object(
  {
    type: Type.String(),
    version: Type.Integer({ description: 'As recorded.' }),
    events: Type.Integer({ description: 'How many there are.' }),
    first: PlaceShown,
    last: PlaceShown,
    reading: Type.Enum(['readable', 'upcast', 'newer', 'no-upcaster', 'unknown-type', 'foreign'], {
      title: 'EventReading',
      description: 'Whether and how this code reads them; foreign: this service cannot have written them.',
    }),
    codeVersion: nullable(Type.Integer({ description: 'The newest version that this code knows.' })),
  },
  { title: 'EventType' },
);
type EventTypeShown = Static<typeof EventTypeShown>;

const decodabilityOf = createDecodabilityLookup(eventDefinitions);

const readingText = ({ reading, version, codeVersion }: EventTypeShown): string => {
  switch (reading) {
    case 'readable':
      return 'readable';
    case 'upcast':
      return `upcast from v${version}`;
    case 'newer':
      return `newer than this code, which reads up to v${String(codeVersion)}`;
    case 'no-upcaster':
      return `no way from v${version} to v${String(codeVersion)}: an upcaster is missing`;
    case 'unknown-type':
      return 'unknown type';
    case 'foreign':
      return 'foreign: this service cannot have written them';
  }
};

const RIGHT_ALIGNED = ['version', 'events'];
const HEADINGS = ['type', 'version', 'events', 'first position', 'recorded at', 'last position', 'recorded at', ''];

export const getEventTypes = defineHistoryOperation({
  name: 'getEventTypes',
  summary: 'Show which versions of which types of events there are, and whether this code can read them',
  command: 'types',
  path: '/history/types',
  access: analystAccess,
  params: object({}),
  parameters: atParameters,
  answer: object(
    {
      code: Type.String({ description: 'The version of the code.' }),
      ...Moment.properties,
      types: Type.Array(EventTypeShown),
    },
    { title: 'EventTypes' },
  ),
  async ask({ parameters }, opened) {
    const moment = await requestedMoment(opened, parameters);
    const { log, signal } = opened.source;
    const counts = await log.countTypes(moment.position, signal, createMomentFilter(moment));
    return {
      code: readPackageVersion(),
      ...moment,
      types: counts.map(({ foreign, ...count }) => ({
        ...count,
        ...(foreign === undefined
          ? decodabilityOf(count.type, count.version)
          : { reading: 'foreign' as const, codeVersion: null }),
      })),
    };
  },
  rows({ types, code, ...moment }) {
    const unreadable = types.filter((line) => !isDecodable(line)).reduce((sum, line) => sum + line.events, 0);
    const rows = types.map((line) => {
      const { type, version, events, first, last } = line;
      const places = [first, last].flatMap(({ position, recordedAt }) => [position, recordedAt]);
      return [type, version, events, ...places, readingText(line)];
    });
    return {
      json: types,
      table: { headings: HEADINGS, rows, rightAligned: RIGHT_ALIGNED, isWhole: true, none: 'no events' },
      notes: [
        `at ${momentText(moment)}, by version ${code}`,
        ...(unreadable > 0 ? [`This code cannot read ${unreadable} of the log's events`] : []),
      ],
      isWell: unreadable === 0,
    };
  },
});
