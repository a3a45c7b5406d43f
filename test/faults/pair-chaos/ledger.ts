import { isDeepStrictEqual } from 'node:util';
import type { EventLog, LoggedEvent } from './event-log.ts';
import type { Mark, Write } from './work-plan.ts';

/** The acknowledged writes, each of which must be in the event log once and in order. */
export interface Ledger {
  readonly acknowledged: (write: Pick<Write, 'marks'>) => void;
  /** A refused write may be stored all the same, by an earlier attempt without an answer. */
  readonly refused: (write: Pick<Write, 'marks'>) => void;
  readonly streams: () => readonly string[];
  /** What is wrong with a stream; undefined when nothing is. */
  readonly faultOf: (stream: string, found: readonly LoggedEvent[]) => string | undefined;
}

const fits = ({ type, data }: LoggedEvent, mark: Mark): boolean =>
  type === mark.type && Object.entries(mark.data).every(([name, value]) => isDeepStrictEqual(data[name], value));

const inWords = ({ type, data }: Pick<LoggedEvent, 'type' | 'data'>): string => {
  const { title, officeName, lastName, postingId, interviewAt, isShortlisted } = data;
  const told = [title, officeName, lastName, interviewAt, isShortlisted, postingId].find(
    (value) => value !== undefined,
  );
  return told === undefined ? type : `${type} ${JSON.stringify(told)}`;
};
const listed = (events: readonly Pick<LoggedEvent, 'type' | 'data'>[]): string =>
  events.map(inWords).join(', ') || 'nothing';

export const createLedger = (): Ledger => {
  const expected = new Map<string, Mark[]>();
  const possible = new Map<string, Mark>();
  return {
    acknowledged({ marks }) {
      for (const mark of marks) expected.set(mark.stream, [...(expected.get(mark.stream) ?? []), mark]);
    },
    refused({ marks }) {
      for (const mark of marks) possible.set(mark.stream, mark);
    },
    streams: () => [...new Set([...expected.keys(), ...possible.keys()])],
    faultOf(stream, found) {
      const marks = expected.get(stream) ?? [];
      const maybe = possible.get(stream);
      const isAll = (wanted: readonly Mark[]) =>
        found.length === wanted.length &&
        wanted.every((mark, index) => {
          const event = found[index];
          return event !== undefined && fits(event, mark);
        });
      if (isAll(marks) || (maybe && isAll([...marks, maybe]))) return undefined;
      return `${stream} must hold ${listed(marks)}, and holds ${listed(found)}`;
    },
  };
};

/** Reads every stream of the ledger and checks it. @throws Error that says what is wrong */
export const expectLogged = async (
  ledger: Ledger,
  log: Pick<EventLog, 'read'>,
): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> => {
  const streams = new Map<string, readonly LoggedEvent[]>();
  await Promise.all(
    ledger.streams().map(async (stream) => {
      streams.set(stream, await log.read(stream));
    }),
  );
  const faults = [...streams].flatMap(([stream, found]) => ledger.faultOf(stream, found) ?? []);
  if (faults.length > 0) throw new Error(`The event log is not what was acknowledged: ${faults.join('; ')}`);
  return streams;
};
