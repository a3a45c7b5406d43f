import { Type, type Static } from '../../schema/typebox.ts';
import { Identifier, nullable, object, text, Timestamp } from '../../schema/schema.ts';
import type { Json, JsonObject } from '../../schema/json.ts';
import { entityKinds, fieldsReferencing } from '../../domain/entity.ts';
import { invalidAt } from '../../errors/domain-error.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { oneLine } from '../../lib/visible.ts';
import { isTimeZone } from '../../lib/time-zone.ts';
import { refuseUnknownEntity } from '../moment/entity-events.ts';
import type { Path } from '../moment/members.ts';
import { momentsOf, MOMENT, rangeBetween, type Moment, type MomentRequest } from '../moment/moment.ts';
import { historyReadModels, type HistoryReadModel } from '../moment/history-read-models.ts';
import type { AnswerView, OpenedHistory } from './operation.ts';

/** What the questions about the history and their answers have in common. */

export const AnyJson = Type.Unsafe<Json>({ description: 'Any value of JSON.' });
export const anyObject = (description: string) => Type.Unsafe<JsonObject>({ type: 'object', description });
export const AnyObject = anyObject('Any object of JSON.');

export const momentParameter = (description: string) =>
  text(100, { minLength: 1, description: `${MOMENT.replace(/^a/, 'A')}: ${description}.` });

const position = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,40}(?:/[0-9]{1,40})?$', says: 'must be a position', description });

/** How an answer that was cut goes on. */
export const afterParameter = Type.Optional(position('A position: only events that stand after it'));

export const upTo = Type.Optional(
  position(
    'A position: as if the event log ended there; default: now. With the `position` of an answer the same question has the same answer for ever.',
  ),
);
/** Of days and of times that an answer shows. */
export const timeZone = Type.Optional(
  text(100, {
    minLength: 1,
    description: 'Of days, and of times that are shown, like America/Denver; default: UTC.',
  }),
);

/** @throws DomainError for what is no time zone */
export const refuseOtherZone = (zone: string | undefined, place: string): void => {
  if (zone !== undefined && !isTimeZone(zone))
    throw invalidAt(place, 'must be a time zone, like America/Denver or UTC');
};

/** Of a question about one moment. */
export const atParameters = object({
  at: Type.Optional(
    momentParameter('a time means, of each stream, the events recorded at or before it; default: now'),
  ),
  upTo,
});
/** Of a question about what is between two moments. */
export const betweenParameters = {
  from: Type.Optional(momentParameter('what happened after it; default: all')),
  to: Type.Optional(momentParameter('what happened up to it; default: now')),
  upTo,
};

export const MomentSchema = object(
  {
    at: nullable(Timestamp),
    position: Type.String({ description: 'Of the last event that was looked at.' }),
    recordedAt: nullable(Timestamp),
  },
  { title: 'Moment' },
);

/** The moment that is asked for. @throws DomainError */
export const requestedMoment = ({ source }: OpenedHistory, asked: MomentRequest): Promise<Moment> =>
  momentsOf(source.log)(asked, 'query/at');

export const eventMembers = {
  position: Type.String(),
  stream: Type.String(),
  revision: Type.Integer(),
  id: Type.String(),
  type: Type.String(),
  version: Type.Integer({ description: 'As recorded.' }),
  recordedAt: nullable(Type.String()),
  actor: nullable(Type.String()),
  requestId: nullable(Type.String()),
  correlationId: nullable(Type.String()),
};
/** Members that are null because their value would tell of a place. */
export const withheld = Type.Unsafe<readonly string[]>(
  Type.Array(Type.String(), {
    description: 'Members that are withheld, whatever they hold: null. None where personal data is shown.',
  }),
);
/** What is said of an event where there is something to say. */
export const eventNotes = {
  withheld: Type.Optional(withheld),
  unreadable: Type.Optional(Type.String({ description: 'Why this code cannot read it.' })),
};

export const CauseSchema = object(
  {
    position: Type.String(),
    type: Type.String(),
    stream: Type.String(),
    revision: Type.Integer(),
    id: Type.String(),
    recordedAt: Timestamp,
    actor: Type.String(),
    requestId: Type.String(),
  },
  { title: 'Cause', description: 'The event that made it so.' },
);
export type CauseSchema = Static<typeof CauseSchema>;

export const LeftOutSchema = Type.Array(
  object(
    {
      stream: Type.String(),
      revision: Type.Integer(),
      position: Type.String(),
      type: Type.String(),
      reason: Type.String(),
    },
    { title: 'LeftOutEvent' },
  ),
  { description: 'Events that could not be applied; from there on their streams are left out.' },
);
export type LeftOutSchema = Static<typeof LeftOutSchema>;

export const madeBy = {
  readModel: Type.String(),
  projection: Type.String({ description: 'With its version.' }),
  code: Type.String({ description: 'The version of the code.' }),
};
export const madeByOf = ({ name, projection }: HistoryReadModel) => ({
  readModel: name,
  projection: `${projection.name}@${projection.version}`,
  code: codeVersion(),
});

export const ReadModelName = Type.Enum(
  historyReadModels.map(({ name }) => name),
  { title: 'ReadModelName', description: 'A read model.' },
);
export const Partition = {
  ...Identifier,
  description: 'The id of the posting, professional or specialty whose rows they are.',
};

/** @throws DomainError not-found for a partition without rows that no event up to a moment names */
export const refuseUnknownPartition = async (
  { source }: OpenedHistory,
  { by }: HistoryReadModel,
  partition: string,
  moment: Moment,
): Promise<void> => {
  const kind = entityKinds.find((each) => fieldsReferencing[each].includes(by));
  if (kind) await refuseUnknownEntity(source, { kind, id: partition }, rangeBetween(null, moment));
};

export const memberName = (path: Path): string => path.join('.');

/** How a view shows the event that caused something. */
export const CAUSE_HEADINGS: readonly string[] = ['event', 'position', 'recorded at', 'actor', 'request'];
export const causeCells = (cause: CauseSchema): readonly string[] => [
  cause.type,
  cause.position,
  cause.recordedAt,
  cause.actor,
  cause.requestId,
];

interface RowsAnswer {
  readonly projection: string;
  readonly code: string;
  readonly withheld: readonly string[];
  readonly leftOut: LeftOutSchema;
}

/** The view of rows of a read model, with what all such answers say. */
export const rowsView = (
  { projection, code, withheld, leftOut }: RowsAnswer,
  title: string,
  table: AnswerView['table'] & object,
  lines: readonly string[] = [],
): AnswerView => ({
  title: `${title}, by ${projection} of version ${code}`,
  table,
  lines: [...lines, ...(withheld.length > 0 ? [`withheld: ${withheld.join(', ')}`] : [])],
  leftOut: leftOut.map(
    ({ stream, revision, position, reason }) =>
      `left out: ${stream} from its event ${revision} on, at ${position}: ${oneLine(reason)}`,
  ),
});
