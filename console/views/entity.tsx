import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { api, bodyOf, type Schemas } from '../api.ts';
import { addressOf, type ViewAddress } from '../address.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { entityOf, isEntityKind, partitionKinds, READ_MODEL_NAMES, type EntityKind } from '../events.ts';
import { JsonTree } from '../json.tsx';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import { useReveal } from '../reveal.tsx';
import { countText, valueText } from '../text.ts';
import { durationText, Time, WhenAndWho } from '../time.tsx';
import { VirtualRows } from '../virtual-rows.tsx';

type EntityEvent = Schemas['EntityEvent'];

const SHAPES = { groups: 'Timeline', table: 'Table', json: 'JSON' } as const;
type Shape = keyof typeof SHAPES;
const isShape = (text: string | null): text is Shape => text !== null && Object.hasOwn(SHAPES, text);

/** A gap in a timeline that is worth a line, in seconds. */
const GAP_SECONDS = 3_600;

/** What events are about, as people tell a story of hiring, by their types; the first that fits counts. */
const GROUPS: readonly (readonly [string, RegExp])[] = [
  ['Interview', /^Interview/],
  ['Decision', /^(?:CandidateHired|CandidateRejected|PostingClosed)$/],
  ['Application', /^Candidate/],
  ['Phone number', /^(?:Code|PhoneNumber|Notice)/],
  ['Saved posting', /^(?:PostingSaved|PostingUnsaved|CommuteMeasured$)/],
  ['Credentials', /^(?:Onboarding|Review)/],
];
const groupOf = ({ type }: EntityEvent): string => GROUPS.find(([, pattern]) => pattern.test(type))?.[0] ?? 'Facts';

interface Group {
  readonly name: string;
  readonly stream: string;
  readonly events: readonly EntityEvent[];
}

/** Events that follow each other in one stream about one thing. */
const groupsIn = (events: readonly EntityEvent[]): readonly Group[] => {
  const groups: { name: string; stream: string; events: EntityEvent[] }[] = [];
  for (const event of events) {
    const [name, last] = [groupOf(event), groups.at(-1)];
    if (last?.name === name && last.stream === event.stream) last.events.push(event);
    else groups.push({ name, stream: event.stream, events: [event] });
  }
  return groups;
};

const Change = ({ change: { member, from, to } }: { readonly change: Schemas['MemberChange'] }) => {
  const kind = member.replace(/Id$/, '');
  const text = <bdi class="added">{valueText(to)}</bdi>;
  return (
    <li>
      {member}:{' '}
      {from !== undefined && (
        <>
          <bdi class="gone">{valueText(from)}</bdi> →{' '}
        </>
      )}
      {member !== kind && isEntityKind(kind) && typeof to === 'string' ? (
        <a href={addressOf(['history', 'entities', kind, to])}>{text}</a>
      ) : (
        text
      )}
    </li>
  );
};

const GroupItem = ({ group, before }: { readonly group: Group; readonly before: Group | undefined }) => {
  const [first, last] = [group.events[0], group.events.at(-1)];
  const actors = [...new Set(group.events.flatMap(({ actor }) => actor ?? []))];
  const previous = before?.events.at(-1)?.recordedAt;
  const gap = first?.recordedAt && previous ? (Date.parse(first.recordedAt) - Date.parse(previous)) / 1_000 : 0;
  const entity = entityOf(group.stream);
  return (
    <>
      {gap >= GAP_SECONDS && <li class="gap">{durationText(gap)} later</li>}
      <li>
        <details>
          <summary>
            <strong>{group.name}</strong> <span class="types">{group.events.map(({ type }) => type).join(', ')}</span>{' '}
            {first?.recordedAt && <Time at={first.recordedAt} />}
            {last !== first && last?.recordedAt && (
              <>
                {' '}
                to <Time at={last.recordedAt} />
              </>
            )}
            {actors.length > 0 && (
              <span class="actor"> by {actors.length === 1 ? actors[0] : countText(actors.length, 'actor')}</span>
            )}
          </summary>
          {entity && (
            <p>
              <a href={addressOf(['history', 'entities', entity.kind, entity.id])}>{group.stream}</a>
            </p>
          )}
          <ol>
            {group.events.map((event) => (
              <li key={event.position}>
                {event.type} at {event.position}
                <WhenAndWho event={event} />
                <ul class="changes">
                  {event.changes.map((change) => (
                    <Change key={change.member} change={change} />
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </details>
      </li>
    </>
  );
};

const MAX_GROUPED = 1_000;

const EventTimeline = ({ events, as }: { readonly events: readonly EntityEvent[]; readonly as: Shape }) => {
  if (as === 'json') return <JsonTree value={events} />;
  // A long story is read as a table, whose rows are drawn as they come into sight.
  if (as === 'table' || events.length > MAX_GROUPED)
    return (
      <VirtualRows rows={events} label="Events">
        {(event) => (
          <div class="row">
            <span class="when">{event.recordedAt?.slice(0, 19).replace('T', ' ') ?? ''}</span>
            <span>{event.type}</span>
            <span class="stream">{event.stream}</span>
            <span class="actor">{event.actor}</span>
            <span class="changes">
              {event.changes.map(({ member, to }) => `${member}: ${valueText(to)}`).join(', ')}
            </span>
          </div>
        )}
      </VirtualRows>
    );
  const groups = groupsIn(events);
  return (
    <ol class="timeline">
      {groups.map((group, at) => (
        <GroupItem key={group.events[0]?.position} group={group} before={groups[at - 1]} />
      ))}
    </ol>
  );
};

const EntityTimeline = ({
  kind,
  id,
  address: { parameters },
}: {
  readonly kind: EntityKind;
  readonly id: string;
  readonly address: ViewAddress;
}) => {
  const reveal = useReveal();
  const at = parameters.get('at') ?? undefined;
  const shape = parameters.get('as');
  const as = isShape(shape) ? shape : 'groups';
  const story = useLoaded(`${kind}:${id} ${at ?? ''} ${reveal.key}`, (signal) =>
    bodyOf(
      api.GET('/history/entities/{kind}/{id}', {
        signal,
        params: { path: { kind, id }, query: omitUndefined({ at }) },
      }),
    ),
  );
  const here = ['history', 'entities', kind, id];
  return (
    <>
      <h1>
        {kind} {id}
      </h1>
      <p class="links">
        {Object.entries(SHAPES).map(([each, title]) => (
          <a key={each} href={addressOf(here, { at, as: each })} aria-current={each === as ? 'true' : undefined}>
            {title}
          </a>
        ))}
        {READ_MODEL_NAMES.filter((name) => partitionKinds[name] === kind).map((name) => (
          <a key={name} href={addressOf(['history', 'read-models', name, id])}>
            {name}
          </a>
        ))}
        {reveal.button}
      </p>
      {reveal.dialog}
      <LoadedContent of={story}>
        {({ events, position }) => (
          <>
            <p>
              {countText(events.length, 'event')}, up to {position}
            </p>
            <EventTimeline events={events} as={as} />
          </>
        )}
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('history', 'show', kind, id, ...commandOptionsOf({ at }))}
        operation={`GET /history/entities/${kind}/${id}`}
      />
    </>
  );
};

/** Everything that happened to one entity. */
export const Entity = ({
  kind,
  ...rest
}: {
  readonly kind: string;
  readonly id: string;
  readonly address: ViewAddress;
}) => (isEntityKind(kind) ? <EntityTimeline kind={kind} {...rest} /> : <p>There is no kind of entity {kind}.</p>);
