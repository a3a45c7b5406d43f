import { join } from 'node:path';
import { membersNaming, type EntityKind } from '../../domain/entity.ts';
import type { FoundEvent } from '../find/event.ts';
import type { MemberColumn } from '../tables/columns.ts';
import { csvHeadings, csvLine } from '../tables/csv.ts';
import { fileRows, type Encode, type FileRows } from './encoded.ts';
import { openGrowingFile } from './files.ts';
import { commonColumns, commonValues, textCell } from './tables.ts';
import { growing, type ExportPlace, type ExportWriter } from './writer.ts';

/** What the cases of process mining may be. */
export const caseKinds = ['posting', 'candidate', 'professional'] as const satisfies readonly EntityKind[];
export type CaseKind = (typeof caseKinds)[number];

export const CASES_FILE = 'cases.csv';

const columns: readonly MemberColumn[] = [
  { name: 'case_id', type: 'VARCHAR' },
  { name: 'activity', type: 'VARCHAR' },
  { name: 'timestamp', type: 'TIMESTAMP' },
  ...commonColumns.filter(({ name }) => name !== 'recorded_at'),
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
      const common = commonValues(event).filter((_, index) => commonColumns[index]?.name !== 'recorded_at');
      const values = [id, event.type, event.recordedAt, ...common];
      const cells = columns.map((column, index) => textCell(values[index] ?? null, column));
      return [csvLine(cells, columns)];
    });
    return [fileRows(CASES_FILE, lines)];
  };

/** Writes the events of cases into one file that grows. */
export const writeCases = async (place: ExportPlace): Promise<ExportWriter<readonly FileRows[]>> => {
  const { operations, directory, files } = place;
  const before = files.get(CASES_FILE);
  const file = await openGrowingFile(operations, join(directory, CASES_FILE), before);
  if (!before) file.append(csvHeadings(columns), 0);
  return growing(place, file);
};
