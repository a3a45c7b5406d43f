import { membersNaming, type EntityKind } from '../../domain/entity.ts';
import type { FoundEvent } from '../find/event.ts';
import type { MemberColumn } from '../warehouse/columns.ts';
import { csvHeadings, csvLine } from '../warehouse/csv.ts';
import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { commonColumns, textCell } from './tables.ts';
import { growing, type ExportPlace, type ExportWriter } from './writer.ts';

/** What the cases of process mining may be. */
export const caseKinds = ['posting', 'candidate', 'professional'] as const satisfies readonly EntityKind[];
export type CaseKind = (typeof caseKinds)[number];

export const CASES_FILE = 'cases.csv';

const common = commonColumns.filter(({ name }) => name !== 'recorded_at');
const columns: readonly MemberColumn[] = [
  { name: 'case_id', type: 'VARCHAR' },
  { name: 'activity', type: 'VARCHAR' },
  { name: 'timestamp', type: 'TIMESTAMP' },
  ...common,
];

/** The case that an event is of; undefined for none. */
const caseOf = ({ data }: FoundEvent, kind: CaseKind): string | undefined => {
  for (const member of membersNaming[kind]) {
    const id = data && Object.hasOwn(data, member) ? data[member] : undefined;
    if (typeof id === 'string') return id;
  }
  return undefined;
};

/** The events of cases as lines of CSV. */
export const encodeCases =
  (kind: CaseKind): Encode<readonly FileRows[]> =>
  (events) => {
    const lines = events.flatMap((event) => {
      const id = caseOf(event, kind);
      if (id === undefined) return [];
      const values = [id, event.type, event.recordedAt, ...common.map(({ of }) => of(event))];
      const cells = columns.map((column, index) => textCell(values[index] ?? null, column));
      return [csvLine(cells, columns)];
    });
    return [fileRows(CASES_FILE, lines)];
  };

/** Writes the events of cases into one file that grows. */
export const writeCases = (place: ExportPlace): Promise<ExportWriter<readonly FileRows[]>> =>
  growing(place, CASES_FILE, csvHeadings(columns));
