import { Type, type Static } from '../schema/typebox.ts';
import { ActParameters, ActPhase, auditDecider, auditEvents, MAX_DETAIL_LENGTH } from '../streams/audit.ts';
import { createDecoder } from '../streams/decode.ts';
import { streamOf } from '../streams/decider.ts';
import { recordedAtOf } from '../event-store/identity.ts';
import { START_POSITION, type EventLog } from '../event-store/port.ts';
import { forEachInParallel } from '../lib/for-each-in-parallel.ts';
import { Identifier, nullable, object, text, Timestamp } from '../schema/schema.ts';

export const RecordedAct = object(
  {
    id: Identifier,
    requestedAt: Timestamp,
    actor: Type.String({
      description:
        'A user id; os:<name> for a user of the machine, at the command line; service:projector for the service itself.',
    }),
    operation: Type.String(),
    parameters: ActParameters,
    /** `requested`: it is under way, or how it ended could not be recorded. */
    phase: ActPhase,
    endedAt: nullable(Timestamp),
    detail: nullable(text(MAX_DETAIL_LENGTH, { description: 'What came of it, or why it failed.' })),
    requestId: Type.String({ description: 'Of the request, as in the application log.' }),
  },
  { title: 'Act' },
);
export type RecordedAct = Static<typeof RecordedAct>;

const DAY_MS = 24 * 3_600_000;
const MAX_AT_ONCE = 16;

export const daysBefore = (now: Date, days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString();

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Days from one time to another, and one more at each end: clocks of machines differ. */
const daysBetween = (since: number, now: number): string[] => {
  const days = new Set([dayOf(now + DAY_MS)]);
  for (let time = since - DAY_MS; time < now + DAY_MS; time += DAY_MS) days.add(dayOf(time));
  return [...days];
};

const decode = createDecoder(auditEvents);

/** The acts that one stream tells of. @throws Error for an event that this code cannot read */
const readActsOfStream = async (log: Pick<EventLog, 'readStream'>, stream: string): Promise<RecordedAct[]> => {
  const acts = new Map<string, RecordedAct>();
  for (const recorded of await log.readStream(stream)) {
    const event = decode(recorded);
    if (!event) throw new Error(`Stream ${stream} holds an event of the unknown type ${recorded.type}`);
    const { actId: id, operation, parameters, phase, detail } = event.data;
    const { actor, requestId, recordedAt } = event.metadata;
    const begun = acts.get(id) ?? { id, requestedAt: recordedAt, actor, operation, parameters, requestId };
    acts.set(id, { ...begun, phase, endedAt: phase === 'requested' ? null : recordedAt, detail });
  }
  return [...acts.values()];
};

/** When the first event was recorded, in milliseconds since 1970; undefined for an event log without one. */
const firstRecordedAt = async (log: Pick<EventLog, 'readAll'>): Promise<number | undefined> => {
  const [first] = await log.readAll(START_POSITION, 1);
  const at = Date.parse(recordedAtOf(first) ?? '');
  return Number.isNaN(at) ? undefined : at;
};

export interface ActFilter {
  /** RFC 3339; left out: from the first event of the event log on. */
  readonly since?: string | undefined;
  readonly actor?: string | undefined;
  readonly operation?: string | undefined;
  readonly now: Date;
}

/** Whether an act is of an actor and of a kind; left out: of any. */
export const createActMatcher =
  ({ actor, operation }: Pick<ActFilter, 'actor' | 'operation'>) =>
  (act: RecordedAct): boolean =>
    (actor ?? act.actor) === act.actor && (operation ?? act.operation) === act.operation;

/** The recorded acts, oldest first. @throws Error for an event of the audit that this code cannot read */
export const readActs = async (
  log: Pick<EventLog, 'readStream' | 'readAll'>,
  { since, now, ...filter }: ActFilter,
): Promise<RecordedAct[]> => {
  const end = now.getTime();
  const beginning = (await firstRecordedAt(log)) ?? end;
  const from = Math.min(end, Math.max(beginning, since === undefined ? -Infinity : Date.parse(since)));
  const acts: RecordedAct[] = [];
  await forEachInParallel(daysBetween(from, end), MAX_AT_ONCE, async (day) => {
    acts.push(...(await readActsOfStream(log, streamOf(auditDecider, day))));
  });
  return acts
    .filter((act) => since === undefined || act.requestedAt >= since)
    .filter(createActMatcher(filter))
    .sort((a, b) => (a.requestedAt < b.requestedAt ? -1 : a.requestedAt > b.requestedAt ? 1 : 0));
};
