import { Type, type TProperties } from '../../schema/typebox.ts';
import { Identifier, object, text } from '../../schema/schema.ts';
import type { Json } from '../../schema/json.ts';
import { invalidAt } from '../../errors/domain-error.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { isTimeZone } from '../../lib/time-zone.ts';
import { LeftOutEvents } from '../moment/partition-at.ts';
import { refuseUnknownEntity } from '../moment/entity-events.ts';
import { WithheldNames } from '../moment/history-event.ts';
import type { MemberPath } from '../moment/member-paths.ts';
import { createMomentFinder, MOMENT_HELP, logRangeBetween, type Moment, type MomentRequest } from '../moment/moment.ts';
import { historyReadModels, type HistoryReadModel } from '../moment/history-read-models.ts';
import { entityKindByPartitionKey } from '../moment/indexed-event-log.ts';
import type { Cause } from '../moment/row-changes.ts';
import type { PrintableAnswer, HistoryContext } from './operation.ts';

/** What the questions about the history and their answers have in common. */

export const AnyJsonSchema = Type.Unsafe<Json>({ description: 'Any value of JSON.' });
export const momentParameter = (description: string) =>
  text(100, { minLength: 1, description: `${MOMENT_HELP.replace(/^a/, 'A')}: ${description}.` });

const position = (description: string) =>
  Type.String({ pattern: '^[0-9]{1,40}(?:/[0-9]{1,40})?$', says: 'must be a position', description });

/** How an answer that was cut goes on. */
export const afterParameter = Type.Optional(position('A position: only events that stand after it'));

export const upToParameter = Type.Optional(
  position(
    'A position: as if the event log ended there; default: now. With the `position` of an answer the same question has the same answer for ever.',
  ),
);
/** Of days and of times that an answer shows. */
export const timeZoneParameter = Type.Optional(
  text(100, { minLength: 1, description: 'Of days, and of times that are shown, like America/Denver; default: UTC.' }),
);

/** @throws DomainError for what is no time zone */
export const refuseUnknownTimeZone = (zone: string | undefined, place: string): void => {
  if (zone !== undefined && !isTimeZone(zone))
    throw invalidAt(place, 'must be a time zone, like America/Denver or UTC');
};

/** Of a question about one moment. */
export const atParameters = object({
  at: Type.Optional(momentParameter('a time means, of each stream, the events recorded at or before it; default: now')),
  upTo: upToParameter,
});
/** Of a question about what is between two moments. */
export const betweenParameters = {
  from: Type.Optional(momentParameter('what happened after it; default: all')),
  to: Type.Optional(momentParameter('what happened up to it; default: now')),
  upTo: upToParameter,
};

/** The moment that is asked for. @throws DomainError */
export const requestedMoment = ({ source }: HistoryContext, request: MomentRequest): Promise<Moment> =>
  createMomentFinder(source.log)(request, 'query/at');

/** The answer about rows of a read model: what made them, and what is not shown of them. */
export const readModelAnswerSchema = <Members extends TProperties>(title: string, members: Members) =>
  object(
    {
      readModel: Type.String(),
      projection: Type.String({ description: 'With its version.' }),
      code: Type.String({ description: 'The version of the code.' }),
      partition: Type.String(),
      ...members,
      withheld: WithheldNames,
      leftOut: LeftOutEvents,
    },
    { title },
  );
export const readModelProvenanceOf = ({ name, projection }: HistoryReadModel) => ({
  readModel: name,
  projection: `${projection.name}@${projection.version}`,
  code: readPackageVersion(),
});

export const ReadModelName = Type.Enum(
  historyReadModels.map(({ name }) => name),
  { title: 'ReadModelName', description: 'A read model.' },
);
export const PartitionId = {
  ...Identifier,
  description: 'The id of the posting, professional or specialty whose rows they are.',
};

/** @throws DomainError not-found for a partition without rows that no event up to a moment names */
export const refuseUnknownPartition = async (
  { source }: HistoryContext,
  { by }: HistoryReadModel,
  partition: string,
  moment: Moment,
): Promise<void> => {
  await refuseUnknownEntity(
    source,
    { kind: entityKindByPartitionKey[by], id: partition },
    logRangeBetween(null, moment),
  );
};

export const memberName = (path: MemberPath): string => path.join('.');

/** How a view shows the event that caused something. */
export const CAUSE_HEADINGS: readonly string[] = ['event', 'position', 'recorded at', 'actor', 'request'];
export const causeCells = (cause: Cause): readonly string[] => [
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
  readonly leftOut: LeftOutEvents;
}

/** The view of rows of a read model, with what all such answers say. */
export const toPrintableRows = (
  { projection, code, withheld, leftOut }: RowsAnswer,
  title: string,
  table: PrintableAnswer['table'] & object,
  lines: readonly string[] = [],
): PrintableAnswer => ({
  title: `${title}, by ${projection} of version ${code}`,
  table,
  lines: [...lines, ...(withheld.length > 0 ? [`withheld: ${withheld.join(', ')}`] : [])],
  leftOut: leftOut.map(
    ({ stream, revision, position, reason }) =>
      `left out: ${stream} from its event ${revision} on, at ${position}: ${oneLine(reason)}`,
  ),
});
