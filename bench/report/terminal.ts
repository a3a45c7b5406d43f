import CliTable from 'cli-table3';
import type { FigureGroup } from '../figure.ts';
import type { GroupResult } from '../results.ts';
import { formatRounds } from './format.ts';
import { measuredTable, targetTable, type Table } from './tables.ts';

const show = ({ headings, rows }: Table): string => {
  if (rows.length === 0) return '';
  const table = new CliTable({ head: [...headings], style: { head: [], border: [], compact: true } });
  for (const row of rows) table.push([...row]);
  return `${table.toString()}\n`;
};

/** A group's tables, as they are printed. */
export const terminalReport = (group: FigureGroup, result: GroupResult): string =>
  `\n${group.title}: median (least – most) of ${formatRounds(result.conditions.rounds)}\n` +
  show(measuredTable(group, result)) +
  show(targetTable(result));
