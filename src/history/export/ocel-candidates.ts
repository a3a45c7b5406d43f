import { candidate, candidateEvents, withClosing, type Candidate } from '../../domain/candidate.ts';
import { decoder } from '../../domain/decode.ts';
import type { Entity } from '../../domain/entity.ts';
import type { Connection } from '../../sqlite/connections.ts';
import type { FoundEvent } from '../find/event.ts';
import { candidateAttributes } from './ocel-attributes.ts';

const decode = decoder(candidateEvents);
const versions = new Map<string, number>(candidateEvents.map(({ type, version }) => [type, version]));

/** An event of a candidate, which has no personal members, as the domain takes it; undefined for any other. */
const candidateEvent = ({
  type,
  data,
  recordedAt,
  actor,
  requestId,
  correlationId,
  ...place
}: FoundEvent) => {
  const version = versions.get(type);
  if (version === undefined || !data) return undefined;
  const metadata = { $correlationId: correlationId, $causationId: '', actor, requestId, recordedAt };
  return decode({ ...place, type, version, data, metadata });
};

/**
 * Begins to follow what the candidates of a log become by their own events and by the closing of their postings. The
 * tables are there: what candidates are is in these, not in memory.
 */
export const followCandidates = (connection: Connection) => {
  const select = connection.prepare('SELECT state FROM temp.candidates WHERE id = ?').raw();
  const put = connection.prepare('INSERT OR REPLACE INTO temp.candidates VALUES (?, ?, ?, ?)');
  const openOf = connection
    .prepare('SELECT id, state FROM temp.candidates WHERE posting = ? AND is_open = 1 ORDER BY id')
    .raw();
  const closingOf = connection.prepare('SELECT recordedAt, actor FROM temp.closings WHERE posting = ?').raw();
  const putClosing = connection.prepare('INSERT OR IGNORE INTO temp.closings VALUES (?, ?, ?)');
  // Only states were put there.
  const stateIn = (text: string) => JSON.parse(text) as Candidate;
  const entityOf = (id: string): Entity => ({ kind: 'candidate', id });

  return {
    /** The candidate in whose stream an event stands; undefined where what it was before is not known. */
    change(found: FoundEvent) {
      const event = candidateEvent(found);
      if (!event) return undefined;
      const { candidateId, postingId } = event.data;
      const before = select.get([candidateId]) as readonly [string] | undefined;
      // An export of some types may lack the application.
      if (!before && event.type !== 'CandidateApplied') return undefined;
      const state = candidate.evolve(before ? stateIn(before[0]) : null, event);
      if (!state) return undefined;
      put.run([candidateId, postingId, state.hiringStatus === 'open' ? 1 : 0, JSON.stringify(state)]);
      const closed = closingOf.get([postingId]) as readonly [string, string] | undefined;
      const closing = closed ? { recordedAt: closed[0], actor: closed[1] } : null;
      return { entity: entityOf(candidateId), attributes: candidateAttributes(withClosing(state, closing)) };
    },
    /** The candidates that the closing of a posting closes. */
    close({ recordedAt, actor }: Pick<FoundEvent, 'recordedAt' | 'actor'>, postingId: string) {
      const closing = { recordedAt: recordedAt ?? '', actor: actor ?? '' };
      putClosing.run([postingId, closing.recordedAt, closing.actor]);
      const found = openOf.all([postingId]) as (readonly [string, string])[];
      return found.map(([id, state]) => ({
        entity: entityOf(id),
        attributes: candidateAttributes(withClosing(stateIn(state), closing)),
      }));
    },
  };
};
