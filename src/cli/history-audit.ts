import { existsSync } from 'node:fs';
import { readActs, type RecordedAct } from '../audit/acts.ts';
import { openLog, type EventStoreSettings } from '../stores.ts';
import { CliError, reasonOf } from './parts/cli-error.ts';
import { sayDropped } from './parts/dropped.ts';
import { tableText, type Screen } from './parts/table.ts';
import { configOf, type Terminal } from './parts/terminal.ts';

export interface AuditOptions {
  /** RFC 3339, UTC, milliseconds. */
  readonly since?: string;
  readonly actor?: string;
  readonly json?: true;
}

/** @throws CliError when the event log cannot be read */
const actsIn = async (
  terminal: Terminal,
  settings: EventStoreSettings,
  { since, actor }: AuditOptions,
): Promise<RecordedAct[]> => {
  if (settings.kind === 'sqlite' && !existsSync(settings.path)) return [];
  try {
    const log = await openLog(settings, sayDropped(terminal));
    try {
      return await readActs(log, { since, actor, now: new Date() });
    } finally {
      await log.close();
    }
  } catch (error) {
    throw new CliError(`EVENT_STORE_URL names a log whose audit cannot be read: ${reasonOf(error)}`);
  }
};

const inWords = ({ phase, detail }: RecordedAct): string => {
  const said = detail === null ? '' : `: ${detail}`;
  switch (phase) {
    case 'requested':
      return 'no end is recorded';
    case 'completed':
      return `completed${said}`;
    case 'failed':
      return `failed${said}`;
  }
};

const parametersText = ({ parameters }: RecordedAct): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' ');

/** The table of the acts. */
export const auditTable = (acts: readonly RecordedAct[], screen: Screen): string => {
  const rows = acts.map((act) => [
    act.requestedAt,
    act.actor,
    act.operation,
    parametersText(act),
    inWords(act),
  ]);
  return tableText(
    { headings: ['at', 'actor', 'act', 'asked with', 'outcome'], rows, rightAligned: [] },
    screen,
  );
};

/** `hiring history audit`: what operators and administrators did beside the domain, oldest first. */
export const listAudit = async (terminal: Terminal, options: AuditOptions): Promise<void> => {
  const acts = await actsIn(terminal, configOf(terminal).stores.eventStore, options);
  terminal.stdout.write(
    options.json ? `${JSON.stringify(acts, null, 2)}\n` : auditTable(acts, terminal.stdout),
  );
};
