import { OPERATOR_ACTED } from '../../streams/audit.ts';
import { streamNamesOfEntity, type Entity } from '../../domain/entity.ts';
import { invalid, notFound } from '../../errors/domain-error.ts';
import { partitionKeyOf, type RecordedEvent } from '../../event-store/port.ts';
import { noIndex } from './entity-index.ts';
import { logRangeBetween, type Moment } from './moment.ts';
import type { IndexedEventLog } from './indexed-event-log.ts';
import { createEntityEventFilter } from './entity-events.ts';
import { searchEvents } from './search.ts';

/** A user and the professionals whose profiles name it are one person. */
interface PersonIds {
  readonly professionals: readonly string[];
  readonly users: readonly string[];
}

interface PersonEvents extends PersonIds {
  /** By stream: first the streams of the person, then the others as they first name it. */
  readonly groups: readonly { readonly stream: string; readonly events: readonly RecordedEvent[] }[];
}

/** What stands between identifiers in a text. */
const BETWEEN = /[^A-Za-z0-9._~|@+=-]+/;

/**
 * The person that an id stands for.
 *
 * @param personId the id of a professional or a user; `professional:` or `user:` before it where both have it
 * @param users the user that the profile of each professional names
 * @throws DomainError invalid for an id of two persons
 */
const personOf = (personId: string, users: ReadonlyMap<string, string>): PersonIds => {
  const [, kind, id = ''] = /^(?:(professional|user):)?(.*)$/.exec(personId) ?? [];
  const named = users.get(id);
  const isUser = [...users.values()].includes(id);
  if (kind === undefined && isUser && named !== undefined && named !== id)
    throw invalid(
      `${id} is a professional, and another person is the user of that id; allowed: professional:${id}, user:${id}`,
    );
  const isProfessional = kind === 'professional' || (kind === undefined && (named !== undefined || !isUser));
  const found = new Set([
    ...(isProfessional && named !== undefined ? [named] : []),
    ...(kind === 'user' || (kind === undefined && (isUser || named === undefined)) ? [id] : []),
  ]);
  const naming = [...users].flatMap(([professional, user]) => (found.has(user) ? professional : []));
  return { professionals: [...new Set([...(isProfessional ? [id] : []), ...naming])], users: [...found] };
};

/**
 * Whether an event is of a person: by its stream, by what it names, by its actor, or as an act that names the person.
 */
const isOf = ({ professionals, users }: PersonIds, entities: readonly Entity[]) => {
  const concerning = entities.map(createEntityEventFilter);
  const names = new Set([...professionals, ...users, ...entities.flatMap(streamNamesOfEntity)]);
  return (event: RecordedEvent): boolean => {
    const { type, data, metadata } = event;
    if (concerning.some((isConcerned) => isConcerned(event))) return true;
    if (users.some((id) => metadata['actor'] === id)) return true;
    // The parameters of an act are free text.
    const texts = type === OPERATOR_ACTED ? JSON.stringify([data['parameters'], data['detail']]) : '';
    return texts.split(BETWEEN).some((word) => names.has(word));
  };
};

/**
 * All events that name a person, whether they are the person's own or of others; what is held of somebody is found here
 * alone. The whole event log is read twice; in memory are the users of all profiles, and what is found.
 *
 * @param personId the id of a professional or a user; `professional:` or `user:` before it where both have it
 * @throws DomainError not-found where no event but acts that asked for the id names it, invalid for an id of two
 *   persons
 */
export const readPersonEvents = async (
  log: IndexedEventLog['log'],
  personId: string,
  moment: Moment,
  signal: AbortSignal,
): Promise<PersonEvents> => {
  const range = logRangeBetween(null, moment);
  const read = (types?: readonly string[]) => searchEvents({ log, index: noIndex }, { types }, range, signal);
  const namedBy = new Map<string, string>();
  for await (const { data } of read(['ProfessionalRecorded']))
    namedBy.set(partitionKeyOf(data, 'professionalId'), partitionKeyOf(data, 'userId'));
  const person = personOf(personId, namedBy);
  const entities: readonly Entity[] = [
    ...person.professionals.map((id) => ({ kind: 'professional', id }) as const),
    ...person.users.map((id) => ({ kind: 'user', id }) as const),
  ];
  const isOfPerson = isOf(person, entities);
  const found = new Map<string, RecordedEvent[]>(entities.flatMap(streamNamesOfEntity).map((stream) => [stream, []]));
  let isKnown = false;
  for await (const event of read()) {
    if (!isOfPerson(event)) continue;
    isKnown ||= event.type !== OPERATOR_ACTED;
    const events = found.get(event.stream) ?? [];
    events.push(event);
    found.set(event.stream, events);
  }
  signal.throwIfAborted();
  if (!isKnown) throw notFound(`No event up to the position ${moment.position} names the person ${personId}`);
  const groups = Array.from(found, ([stream, events]) => ({ stream, events }));
  return { ...person, groups: groups.filter(({ events }) => events.length > 0) };
};
