import type { LogPart, LostPart } from '../../event-store/log-part.ts';
import {
  START,
  type EventLog,
  type IdempotencyRecord,
  type RecordedEvent,
  type Revision,
} from '../../event-store/port.ts';
import { comparedLog, compareLog, type SeenLog } from '../../event-store/identity.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import type { Findings } from './findings.ts';

export interface CheckedLog {
  readonly events: number;
  readonly streams: number;
}

export interface LogToCheck {
  readonly parts: Iterable<LogPart> | AsyncIterable<LogPart>;
  /** Gives the decoded event, undefined for a type that the code does not know. @throws where it cannot be read */
  readonly decode: (event: RecordedEvent) => unknown;
  /** Told of the events read so far, after each part. */
  readonly onRead: (events: number) => void;
}

/** Whether the revisions of each stream have no gaps. It keeps a number for each stream. */
const createRevisions = (findings: Findings) => {
  const last = new Map<string, Revision>();
  return {
    see({ stream, revision, position }: RecordedEvent): void {
      const expected = (last.get(stream) ?? -1) + 1;
      const missing =
        revision - 1 > expected ? `revisions ${expected} to ${revision - 1}` : `revision ${expected}`;
      if (revision > expected)
        findings.add(`stream ${stream}`, `it lacks ${missing} before position ${position}`);
      if (revision < expected)
        findings.add(`stream ${stream}`, `its revision ${revision} stands again at position ${position}`);
      last.set(stream, Math.max(revision, expected - 1));
    },
    streams: () => last.size,
  };
};

/** The streams of events that are lost; of many, the first. */
const streamsOf = ({ streams }: LostPart): string => {
  if (streams.length === 0) return '';
  const more = streams.length > MAX_STREAMS ? ` and ${streams.length - MAX_STREAMS} more` : '';
  return `; of ${streams.slice(0, MAX_STREAMS).join(', ')}${more}`;
};
const MAX_STREAMS = 10;

/** Reads an event log once: what cannot be read, gaps in positions and revisions, events that cannot be decoded. */
export const checkLog = async (
  { parts, decode, onRead }: LogToCheck,
  findings: Findings,
): Promise<CheckedLog> => {
  const revisions = createRevisions(findings);
  let count = 0;
  const see = (event: RecordedEvent): void => {
    revisions.see(event);
    const where = `position ${event.position}`;
    try {
      if (decode(event) === undefined) findings.add(where, `this code knows no events of type ${event.type}`);
    } catch (error) {
      findings.add(where, error instanceof Error ? error.message : String(error));
    }
  };
  for await (const part of parts)
    switch (part.kind) {
      case 'events':
        for (const event of part.events) see(event);
        onRead((count += part.events.length));
        break;
      case 'missing':
        findings.add(`positions ${part.first} to ${part.last}`, `there is no event${streamsOf(part)}`);
        break;
      case 'unreadable':
        findings.add(
          part.last === undefined
            ? `positions from ${part.first} on`
            : `positions ${part.first} to ${part.last}`,
          `they cannot be read: ${part.why}${streamsOf(part)}`,
        );
    }
  return { events: count, streams: revisions.streams() };
};

const MAX_AT_ONCE = 64;

/** Whether the events of each idempotency record are there. */
export const checkIdempotencyRecords = (
  records: readonly IdempotencyRecord[],
  { recordAt }: Pick<EventLog, 'recordAt'>,
  findings: Findings,
): Promise<void> =>
  inParallel(records, MAX_AT_ONCE, async ({ key, position }) => {
    if (position !== START && (await recordAt(position)) === undefined)
      findings.add(`idempotency record ${key}`, `there is no event at its position ${position}`);
  });

/** Whether each build is of the event log, and the event that it has seen last is there. */
export const checkCheckpoints = async (
  checkpoints: ReadonlyMap<string, SeenLog>,
  log: Pick<EventLog, 'readAll' | 'recordAt'>,
  findings: Findings,
): Promise<void> => {
  for (const [build, { first, last }] of checkpoints) {
    const comparison = await compareLog({ first, last }, comparedLog(log));
    switch (comparison.kind) {
      case 'same':
        break;
      case 'older':
        findings.add(
          `build ${build}`,
          `the event it has seen last is not at position ${comparison.lacks.position}`,
        );
        break;
      case 'other':
        findings.add(
          `build ${build}`,
          `it is of the event log ${comparison.expected}, not ${comparison.found}`,
        );
        break;
      case 'gone':
        findings.add(`build ${build}`, 'it has seen events, and the event log has none');
    }
  }
};
