import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../api.ts';
import { addressOf, filtersIn, navigate, withQuery, type ViewAddress } from '../address.ts';
import { HISTORY_FILTERS } from '../../src/console/hash-route.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { entityOf, ENTITY_KINDS, findEvents, READ_MODEL_NAMES, type RecordedEvent } from '../events.ts';
import { Choice, Field, FilterForm } from '../form.tsx';
import { JsonTree } from '../json.tsx';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { useReveal } from '../reveal.tsx';
import { WhenAndWho } from '../time.tsx';
import { countText } from '../text.ts';
import { VirtualRows } from '../virtual-rows.tsx';

/** The service gives no more of the newest at once. */
const NEWEST = 1_000;
const OLDEST = 100_000;

/** One event, whole. */
const EventDetails = ({ event }: { readonly event: RecordedEvent }) => {
  const entity = entityOf(event.stream);
  return (
    <aside class="event" aria-label={`${event.type} at ${event.position}`}>
      <h2>{event.type}</h2>
      <p>
        {event.stream}, revision {event.revision}, at {event.position}
        <WhenAndWho event={event} />
      </p>
      <p class="links">
        {entity && <a href={addressOf(['history', 'entities', entity.kind, entity.id])}>Timeline</a>}
        <a href={addressOf(['history'], { stream: event.stream, order: 'oldest' })}>Stream</a>
        {event.correlationId !== null && (
          <a href={addressOf(['history'], { correlationId: event.correlationId, order: 'oldest' })}>
            What the request led to
          </a>
        )}
      </p>
      {event.withheld && event.withheld.length > 0 && <p class="note">Withheld: {event.withheld.join(', ')}</p>}
      <JsonTree value={event} />
    </aside>
  );
};

/** Events, searched by what they hold. */
export const Events = ({ address: { parameters } }: { readonly address: ViewAddress }) => {
  const reveal = useReveal();
  // The chosen event is closed when the question changes, or personal data is shown or hidden.
  const asked = `${parameters.toString()} ${reveal.key}`;
  const [choice, setChoice] = useState<{ readonly asked: string; readonly event: RecordedEvent }>();
  const chosen = choice?.asked === asked ? choice.event : undefined;
  const types = useLoaded('types', (signal) => bodyOf(api.GET('/history/types', { signal })));
  const names = [...new Set(types.data?.types.map(({ type }) => type))].sort();
  const { order, ...filters } = filtersIn(parameters, HISTORY_FILTERS);
  const { type, where } = filters;
  const isOldest = order === 'oldest';
  const query = omitUndefined({
    ...filters,
    // The service refuses an unknown one.
    type: type === undefined ? undefined : [type as Schemas['FindEventsTypeItem']],
    where: where === undefined ? undefined : [where],
    newest: isOldest ? undefined : true,
    limit: isOldest ? OLDEST : NEWEST,
  });
  const events = useLoaded(asked, (signal) => findEvents(query, signal));
  const entity = entityOf(filters.entity?.replace(':', '-') ?? '');
  const olderThan = (found: readonly RecordedEvent[]): string =>
    addressOf(['history'], { ...Object.fromEntries(parameters), to: found.at(-1)?.position });
  return (
    <>
      <h1>History</h1>
      <FilterForm segments={['history']} values={parameters}>
        <Choice
          label="Type"
          name="type"
          none="any"
          options={type === undefined || names.includes(type) ? names : [...names, type]}
        />
        <Field label="Entity" name="entity" placeholder="posting:p1" />
        <Field label="Stream" name="stream" placeholder="candidate-c1" />
        <Field label="Actor" name="actor" />
        <Field label="Where" name="where" placeholder="data.postingId=p1" />
        <Field label="From" name="from" placeholder="2026-03-01" />
        <Field label="To" name="to" placeholder="now" />
        <Choice label="Order" name="order" none="newest first" options={[['oldest', 'oldest first']]} />
      </FilterForm>
      <OpenForm />
      <p class="links">
        {reveal.button}
        {entity && (
          <a href={addressOf(['history', 'entities', entity.kind, entity.id])}>
            The timeline of the {entity.kind}, with events of others that concern it
          </a>
        )}
      </p>
      {reveal.dialog}
      <LoadedContent of={events}>
        {(found) =>
          found.length === 0 ? (
            <p>No event is like that.</p>
          ) : (
            <>
              <p role="status">
                {countText(found.length, 'event')}
                {!isOldest && found.length === NEWEST && (
                  <>
                    , the newest ones; <a href={olderThan(found)}>older ones</a>
                  </>
                )}
              </p>
              <div class="split">
                <VirtualRows rows={found} label="Events">
                  {(event) => (
                    <button
                      type="button"
                      class="row"
                      aria-pressed={chosen?.position === event.position}
                      onClick={() => setChoice({ asked, event })}
                    >
                      <span class="when">{event.recordedAt?.slice(0, 19).replace('T', ' ') ?? ''}</span>
                      <span>{event.type}</span>
                      <span class="stream">{event.stream}</span>
                      <span class="actor">{event.actor}</span>
                    </button>
                  )}
                </VirtualRows>
                {chosen && <EventDetails event={chosen} />}
              </div>
            </>
          )
        }
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('history', 'search', ...commandOptionsOf(filters), ...(isOldest ? [] : ['--newest']))}
        operation={withQuery('GET /history/events', { ...filters, order })}
      />
    </>
  );
};

/** Opens a timeline, or a read model as it was. */
const OpenForm = () => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      const [what, id] = [form.get('what'), form.get('id')];
      if (typeof what !== 'string' || typeof id !== 'string' || id.trim() === '') return;
      navigate(addressOf(['history', ...what.split('/'), id.trim()]));
    }}
  >
    <label>
      <span>Open</span>
      <select name="what">
        {ENTITY_KINDS.map((kind) => (
          <option key={kind} value={`entities/${kind}`}>
            timeline of the {kind}
          </option>
        ))}
        {READ_MODEL_NAMES.map((name) => (
          <option key={name} value={`read-models/${name}`}>
            {name} of
          </option>
        ))}
      </select>
    </label>
    <label>
      <span>Id</span>
      <input name="id" autocomplete="off" required />
    </label>
    <button type="submit">Open</button>
  </form>
);
