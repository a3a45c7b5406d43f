import { describeLostPart, type EventsOrLoss, type RecordedLoss } from './events-or-loss.ts';
import {
  isCausedByDamage,
  type Position,
  START_POSITION,
  type EventLog,
  type IdempotencyRecord,
  type RecordedEvent,
  type Revision,
} from './port.ts';
import {
  toLogIdentityReader,
  compareLogIdentity,
  type LogIdentityComparison,
  type SeenLogPointers,
} from './identity.ts';
import { errorMessageOf } from '../lib/error.ts';
import { forEachInParallel } from '../lib/for-each-in-parallel.ts';

interface CheckFinding {
  readonly where: string;
  readonly what: string;
}

/** More would not tell an operator more. */
const MAX_KEPT = 200;

/** Collects findings: the first ones, and how many there are. */
export const createFindingCollector = (maxKept = MAX_KEPT) => {
  const findings: CheckFinding[] = [];
  let total = 0;
  return {
    add(where: string, what: string): void {
      total++;
      if (findings.length < maxKept) findings.push({ where, what });
    },
    kept: (): readonly CheckFinding[] => findings,
    total: (): number => total,
  };
};
export type FindingCollector = ReturnType<typeof createFindingCollector>;

export interface LogCheckResult {
  readonly events: number;
  readonly streams: number;
  /** What a salvage has noted as lost. */
  readonly noted: readonly RecordedLoss[];
}

interface LogToCheck {
  readonly parts: Iterable<EventsOrLoss> | AsyncIterable<EventsOrLoss>;
  /** Gives the decoded event, undefined for a type that the code does not know. @throws where it cannot be read */
  readonly decode: (event: RecordedEvent) => unknown;
  /** Told of the events read so far, after each part. */
  readonly onRead: (events: number) => void;
}

/**
 * Whether the revisions of each stream have no gaps but for events that are noted as lost. It keeps a number for each
 * stream, and another for those that have events after what is lost.
 */
const createRevisionCheck = (findings: FindingCollector) => {
  const last = new Map<string, Revision>();
  let lost = 0;
  const lostBefore = new Map<string, number>();
  return {
    /** To be called with how many more positions are noted as lost. */
    lose(positions: number): void {
      lost += positions;
    },
    see({ stream, revision, position }: RecordedEvent): void {
      const next = (last.get(stream) ?? -1) + 1;
      const isKnownLoss = revision > next && revision - next <= lost - (lostBefore.get(stream) ?? 0);
      const expected = isKnownLoss ? revision : next;
      if (lost > 0) lostBefore.set(stream, lost);
      const missing = revision - 1 > expected ? `revisions ${expected} to ${revision - 1}` : `revision ${expected}`;
      if (revision > expected) findings.add(`stream ${stream}`, `it lacks ${missing} before position ${position}`);
      if (revision < expected)
        findings.add(`stream ${stream}`, `its revision ${revision} stands again at position ${position}`);
      last.set(stream, Math.max(revision, expected - 1));
    },
    streams: () => last.size,
  };
};

/** Reads an event log once: what cannot be read, gaps in positions and revisions, events that cannot be decoded. */
export const checkLog = async (
  { parts, decode, onRead }: LogToCheck,
  findings: FindingCollector,
): Promise<LogCheckResult> => {
  const revisions = createRevisionCheck(findings);
  const noted: RecordedLoss[] = [];
  let count = 0;
  const see = (event: RecordedEvent): void => {
    revisions.see(event);
    const where = `position ${event.position}`;
    try {
      if (decode(event) === undefined) findings.add(where, `this code knows no events of type ${event.type}`);
    } catch (error) {
      findings.add(where, errorMessageOf(error));
    }
  };
  for await (const part of parts)
    switch (part.kind) {
      case 'events':
        for (const event of part.events) see(event);
        onRead((count += part.events.length));
        break;
      case 'noted':
        noted.push(part);
        revisions.lose(Number(part.last) - Number(part.first) + 1);
        break;
      case 'missing':
      case 'unreadable': {
        const { where, what } = describeLostPart(part);
        findings.add(where, what);
      }
    }
  return { events: count, streams: revisions.streams(), noted };
};

const MAX_AT_ONCE = 64;

/** What stands at a position; undefined also where the file is damaged, which is a finding of its own. */
const soundRecordAt = ({ recordAt }: Pick<EventLog, 'recordAt'>, position: Position) =>
  recordAt(position).catch((error: unknown) => {
    if (isCausedByDamage(error)) return undefined;
    throw error;
  });

/** Whether the events of each idempotency record are there, or noted as lost. */
export const checkIdempotencyRecords = (
  records: readonly IdempotencyRecord[],
  log: Pick<EventLog, 'recordAt'>,
  findings: FindingCollector,
  noted: LogCheckResult['noted'] = [],
): Promise<void> =>
  forEachInParallel(records, MAX_AT_ONCE, async ({ key, position }) => {
    const isKnownLoss = noted.some(({ first, last }) => first <= position && position <= last);
    if (position !== START_POSITION && !isKnownLoss && (await soundRecordAt(log, position)) === undefined)
      findings.add(`idempotency record ${key}`, `there is no event at its position ${position}`);
  });

const comparisonFault = (comparison: LogIdentityComparison): string | undefined => {
  switch (comparison.kind) {
    case 'same':
      return undefined;
    case 'older':
      return `the event it has seen last is not at position ${comparison.lacks.position}`;
    case 'other':
      return `it is of the event log ${comparison.expected}, not ${comparison.found}`;
    case 'gone':
      return 'it has seen events, and the event log has none';
  }
};

/** Whether each build is of the event log, and the event that it has seen last is there. */
export const checkCheckpoints = async (
  checkpoints: ReadonlyMap<string, SeenLogPointers>,
  log: Pick<EventLog, 'readAll' | 'recordAt'>,
  findings: FindingCollector,
): Promise<void> => {
  const compared = toLogIdentityReader({ ...log, recordAt: (position) => soundRecordAt(log, position) });
  for (const [build, { first, last }] of checkpoints) {
    const fault = comparisonFault(await compareLogIdentity({ first, last }, compared));
    if (fault !== undefined) findings.add(`build ${build}`, fault);
  }
};
