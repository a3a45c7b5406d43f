import { eventDefinitions } from '../../domain/index.ts';
import type { Json } from '../../schema/json.ts';
import type { FoundEvent } from '../find/event.ts';
import { columnsOfMembers, type MemberColumn } from '../warehouse/columns.ts';

interface CommonColumn extends MemberColumn {
  readonly of: (event: FoundEvent) => string | number | null;
}

/** What the tables of all types of events have in common. */
export const commonColumns: readonly CommonColumn[] = [
  { name: 'position', type: 'VARCHAR', of: ({ position }) => position },
  { name: 'stream', type: 'VARCHAR', of: ({ stream }) => stream },
  { name: 'revision', type: 'BIGINT', of: ({ revision }) => revision },
  { name: 'id', type: 'VARCHAR', of: ({ id }) => id },
  { name: 'version', type: 'BIGINT', of: ({ version }) => version },
  { name: 'recorded_at', type: 'TIMESTAMP', of: ({ recordedAt }) => recordedAt },
  { name: 'actor', type: 'VARCHAR', of: ({ actor }) => actor },
  { name: 'request_id', type: 'VARCHAR', of: ({ requestId }) => requestId },
  { name: 'correlation_id', type: 'VARCHAR', of: ({ correlationId }) => correlationId },
];

/** The table of one type of events: the common columns, then one for each member of its newest version. */
export interface EventTable {
  readonly type: string;
  readonly columns: readonly MemberColumn[];
}

/** The tables of some types; of all when left out. */
export const eventTables = (isMasked: boolean, types?: readonly string[]): readonly EventTable[] =>
  eventDefinitions
    .filter(({ type }) => types?.includes(type) ?? true)
    .map(({ type, data }) => ({ type, columns: [...commonColumns, ...columnsOfMembers(data, isMasked)] }));

/** The values of an event's row, as JSON has them; undefined for an event that this code cannot read. */
export const rowOf = ({ columns }: EventTable, event: FoundEvent): readonly Json[] | undefined => {
  const { data } = event;
  if (!data) return undefined;
  const members = columns
    .slice(commonColumns.length)
    .map(({ name }) => (Object.hasOwn(data, name) ? (data[name] ?? null) : null));
  return [...commonColumns.map(({ of }) => of(event)), ...members];
};

/** A value as text: times as they are, lists and objects as JSON. */
export const textCell = (value: Json, { type }: MemberColumn): string | null => {
  if (value === null) return null;
  return type === 'JSON' || typeof value === 'object' ? JSON.stringify(value) : String(value);
};
