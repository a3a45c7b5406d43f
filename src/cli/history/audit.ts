import { outcomeText, parametersText } from '../../audit/act-text.ts';
import { createActMatcher, readActs, type RecordedAct } from '../../audit/acts.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import { listActsOperation, MAX_ACT_DAYS, MAX_ACT_PAGE_SIZE } from '../../builds/list-acts.ts';
import { openConcurrentEventLog, type StoreSettings } from '../../stores.ts';
import { loadExistingLogConfig } from '../parts/event-file.ts';
import { CliError, oneLineReason } from '../parts/cli-error.ts';
import { createDroppedSubscriptionReporter } from '../parts/dropped-subscription.ts';
import type { FromOption } from '../parts/from-option.ts';
import { askService } from '../parts/service-client.ts';
import { withStoresOrSalvagedCopy, type AroundDamageOption } from '../parts/salvage.ts';
import { truncatedText, tableLines, type Screen } from '../parts/table.ts';
import type { Terminal } from '../parts/terminal.ts';
import { using } from '../../lib/using.ts';
import { print, printJson } from '../parts/print.ts';

export interface AuditOptions extends AroundDamageOption {
  readonly from?: FromOption;
  /** RFC 3339, UTC, milliseconds. */
  readonly since?: string;
  readonly actor?: string;
  readonly operation?: string;
  readonly json?: true;
}

/** @throws CliError when the event log cannot be read */
const actsIn = async (
  terminal: Terminal,
  stores: StoreSettings,
  { since, ...how }: AuditOptions,
): Promise<RecordedAct[]> => {
  try {
    return await withStoresOrSalvagedCopy(terminal, stores, how, ({ eventStore }) =>
      using(openConcurrentEventLog(eventStore, createDroppedSubscriptionReporter(terminal)), (log) =>
        readActs(log, { since, now: new Date() }),
      ),
    );
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`EVENT_STORE_URL names a log whose audit cannot be read: ${oneLineReason(error)}`);
  }
};

const DAY_MS = 24 * 3_600_000;
/** A day less than a service takes: its clock is another one. */
const MAX_DAYS = MAX_ACT_DAYS - 1;

/** The acts of a service, which gives the last ones first, in pages. @throws CliError where it refuses */
const actsOfService = async (terminal: Terminal, service: string, { since }: AuditOptions): Promise<RecordedAct[]> => {
  if (since === undefined)
    print(terminal.stderr, `hiring: of the last ${MAX_DAYS} days; a service tells of no earlier ones`);
  const earliest = new Date(Date.now() - MAX_DAYS * DAY_MS).toISOString();
  const target = { terminal, url: service, reason: undefined };
  const operation = { path: listActsOperation.path, answer: listActsOperation.response };
  const acts = new Map<string, RecordedAct>();
  let isLast = false;
  for (let page = 1; !isLast; page++) {
    const parameters = omitUndefined({ since: since ?? earliest, page, pageSize: MAX_ACT_PAGE_SIZE });
    const { data, total } = await askService(target, operation, { params: {}, parameters });
    // What is recorded meanwhile moves acts to the next page.
    for (const act of data) acts.set(act.id, act);
    isLast = page * MAX_ACT_PAGE_SIZE >= total;
  }
  return [...acts.values()].reverse();
};

/** A line for each act; a terminal is shown as much of it as it has columns. */
export const auditLines = (acts: readonly RecordedAct[], { isTTY, columns = 0 }: Screen): readonly string[] => {
  const rows = acts.map((act) => [
    act.requestedAt,
    act.actor,
    act.operation,
    outcomeText(act),
    [parametersText(act), act.detail ?? ''].filter((text) => text !== '').join(': '),
  ]);
  const headings = ['at', 'actor', 'act', 'outcome', 'asked with, and what came of it'];
  const lines = tableLines({ headings, rows, rightAligned: [] }, {});
  return isTTY === true && columns > 0 ? lines.map((line) => truncatedText(line, columns)) : lines;
};

/**
 * The acts of an actor and of a kind; left out: all. @throws CliError where there are none, with those that there are
 */
const actsWith = (acts: readonly RecordedAct[], filter: AuditOptions): readonly RecordedAct[] => {
  const found = acts.filter(createActMatcher(filter));
  if (found.length > 0 || (filter.actor ?? filter.operation) === undefined) return found;
  const recorded = [...new Set(acts.map((act) => `${act.operation} by ${act.actor}`))].sort().join(', ');
  throw new CliError(`No such act is recorded; those that are: ${recorded || 'none'}`, 1);
};

/** `hiring history audit`: what operators and administrators did beside the domain, oldest first. */
export const listAudit = async (terminal: Terminal, options: AuditOptions): Promise<void> => {
  const service = options.from?.service;
  const all = await (service === undefined
    ? actsIn(terminal, loadExistingLogConfig(terminal).stores, options)
    : actsOfService(terminal, service, options));
  const acts = actsWith(all, options);
  const { stdout } = terminal;
  if (options.json) printJson(stdout, acts, 2);
  else print(stdout, auditLines(acts, stdout));
};
