import { eventDefinitions } from '../domain/index.ts';
import type { Entity } from '../domain/entity.ts';
import { foundEvent, type FoundEvent } from '../history/find/event.ts';
import { followEvents, searchEvents, take, type EventFilter } from '../history/find/search.ts';
import { parseWhere } from '../history/find/where.ts';
import type { MomentAsked } from '../history/moment/moment.ts';
import { START } from '../event-store/port.ts';
import { codeVersion } from './parts/code-version.ts';
import { CliError } from './parts/cli-error.ts';
import { momentText, now, refusing, withHistory } from './parts/history.ts';
import { cellOf } from './parts/moments.ts';
import { reasonFor, type PersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';

export interface SearchOptions extends PersonalOptions {
  readonly type?: readonly string[];
  readonly stream?: string;
  readonly entity?: Entity;
  readonly actor?: string;
  readonly correlationId?: string;
  readonly where?: readonly string[];
  /** Left out: from the first event on. */
  readonly from?: MomentAsked;
  /** Left out: up to now. */
  readonly to?: MomentAsked;
  readonly newest?: true;
  readonly limit: number;
  readonly follow?: true;
  readonly json?: true;
}

const width = Math.max(...eventDefinitions.map(({ type }) => type.length));

const lineOf = (event: FoundEvent): string => {
  const { position, recordedAt, type, stream, actor, data } = event;
  const shown = event.unreadable === undefined ? cellOf(data) : `cannot be read: ${event.unreadable}`;
  return `${position}  ${recordedAt ?? '-'}  ${type.padEnd(width)}  ${stream}  ${actor ?? '-'}  ${shown}`;
};

/** @throws CliError for options that contradict each other, or conditions that are none */
const filterOf = (options: SearchOptions): EventFilter => {
  const { follow, to, newest, type: types, stream, entity, actor, correlationId, where = [] } = options;
  if (follow && (to || newest)) throw new CliError('--follow goes on from now: it takes no --to or --newest');
  const isUnmasked = reasonFor(options) !== undefined;
  return refusing(() => ({
    types,
    stream,
    entity,
    actor,
    correlationId,
    where: where.map((condition) => parseWhere(condition, isUnmasked)),
  }));
};

/** What was asked for, as it is recorded. */
const asked = ({ type, stream, entity, actor, correlationId, where }: SearchOptions) =>
  Object.fromEntries(
    Object.entries({
      types: type?.join(),
      stream,
      entity: entity && `${entity.kind}:${entity.id}`,
      byActor: actor,
      correlationId,
      where: where?.join(' '),
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );

/** `hiring history search`: events by what they are, where they stand and what they hold. */
export const searchHistory = async (terminal: Terminal, options: SearchOptions): Promise<void> => {
  const { from, to = now, newest = false, limit, follow, json } = options;
  const filter = filterOf(options);
  const { stdout, stderr } = terminal;
  const stopping = new AbortController();
  await withHistory(
    terminal,
    { command: 'search', parameters: asked(options) },
    options,
    async ({ source, mask, momentOf }) => {
      const write = (event: FoundEvent): void =>
        void stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
      const until = await momentOf(to);
      const after = from ? (await momentOf(from)).position : START;
      stderr.write(`up to ${momentText(until)}, by version ${codeVersion()}\n`);
      const found = searchEvents(source, filter, { after, upTo: until.position }, stopping.signal);
      const { events, isMore } = await take(found, { limit, isNewestFirst: newest });
      for (const event of events) write(foundEvent(event, mask));
      if (isMore) stderr.write(`there are more: --limit ${limit}\n`);
      if (!follow) return;
      void terminal.nextSignal().then(() => stopping.abort());
      for await (const batch of followEvents(source, filter, until.position, stopping.signal))
        for (const event of batch.events) write(foundEvent(event, mask));
    },
  );
};
