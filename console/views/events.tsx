import { useState } from 'preact/hooks';
import { allLines, api, bodyOf, type Schemas } from '../api.ts';
import { addressOf, go, type Address } from '../address.ts';
import { HISTORY_FILTERS } from '../../src/console/view-address.ts';
import { Command, hiring, operationOf, optionOf } from '../command.tsx';
import { entityOf, KINDS, READ_MODELS, toEvent, type RecordedEvent } from '../events.ts';
import { Choice, Field, Filters } from '../form.tsx';
import { Json } from '../json.tsx';
import { Shown, useLoaded } from '../loaded.tsx';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { useReveal } from '../reveal.tsx';
import { Time } from '../time.tsx';
import { countText } from '../text.ts';
import { VirtualRows } from '../virtual-rows.tsx';

/** The service gives no more of the newest at once. */
const NEWEST = 1_000;
const OLDEST = 100_000;
const ROW_HEIGHT = 36;

type Filter = (typeof HISTORY_FILTERS)[number];

const commandOf = (parameters: URLSearchParams): string =>
  hiring(
    'history',
    'search',
    ...HISTORY_FILTERS.flatMap((name) => {
      const value = parameters.get(name);
      if (!value || name === 'order') return [];
      return [optionOf(name), value];
    }),
    parameters.get('order') === 'oldest' ? undefined : '--newest',
  );

/** One event, whole. */
export const Event = ({ event }: { readonly event: RecordedEvent }) => {
  const entity = entityOf(event.stream);
  return (
    <aside class="event" aria-label={`${event.type} at ${event.position}`}>
      <h2>{event.type}</h2>
      <p>
        {event.stream}, revision {event.revision}, at {event.position}
        {event.recordedAt !== null && (
          <>
            , <Time at={event.recordedAt} />
          </>
        )}
        {event.actor !== null && `, by ${event.actor}`}
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
      {event.withheld && event.withheld.length > 0 && (
        <p class="note">Withheld: {event.withheld.join(', ')}</p>
      )}
      <Json value={event} />
    </aside>
  );
};

/** Events by what they hold. */
export const Events = ({ address: { parameters } }: { readonly address: Address }) => {
  const reveal = useReveal();
  // What is shown of one event ends with the question that it answers, and personal data with its being shown.
  const asked = `${parameters.toString()} ${reveal.key}`;
  const [choice, setChoice] = useState<{ readonly asked: string; readonly event: RecordedEvent }>();
  const chosen = choice?.asked === asked ? choice.event : undefined;
  const types = useLoaded('types', (signal) => bodyOf(api.GET('/history/types', { signal })));
  const names = [...new Set(types.data?.types.map(({ type }) => type))].sort();
  const text = (name: Filter): string | undefined => parameters.get(name) || undefined;
  const [type, where, isOldest] = [text('type'), text('where'), text('order') === 'oldest'];
  const query = omitUndefined({
    // The service refuses one that there is not.
    type: type === undefined ? undefined : [type as Schemas['FindEventsTypeItem']],
    entity: text('entity'),
    stream: text('stream'),
    actor: text('actor'),
    correlationId: text('correlationId'),
    where: where === undefined ? undefined : [where],
    from: text('from'),
    to: text('to'),
    newest: isOldest ? undefined : true,
    limit: isOldest ? OLDEST : NEWEST,
  });
  const events = useLoaded(asked, (signal) =>
    allLines(api.GET('/history/events', { signal, params: { query }, parseAs: 'stream' }), toEvent),
  );
  const entity = entityOf(text('entity')?.replace(':', '-') ?? '');
  const olderThan = (found: readonly RecordedEvent[]): string =>
    addressOf(['history'], { ...Object.fromEntries(parameters), to: found.at(-1)?.position });
  return (
    <>
      <h1>History</h1>
      <Filters segments={['history']}>
        <Choice
          label="Type"
          name="type"
          value={parameters.get('type')}
          options={[
            ['', 'any'],
            ...names.map((name) => [name, name] as const),
            ...(type === undefined || names.includes(type) ? [] : [[type, type] as const]),
          ]}
        />
        <Field label="Entity" name="entity" value={parameters.get('entity')} placeholder="posting:p1" />
        <Field label="Stream" name="stream" value={parameters.get('stream')} placeholder="candidate-c1" />
        <Field label="Actor" name="actor" value={parameters.get('actor')} />
        <Field label="Where" name="where" value={parameters.get('where')} placeholder="data.postingId=p1" />
        <Field label="From" name="from" value={parameters.get('from')} placeholder="2026-03-01" />
        <Field label="To" name="to" value={parameters.get('to')} placeholder="now" />
        <Choice
          label="Order"
          name="order"
          value={parameters.get('order')}
          options={[
            ['', 'newest first'],
            ['oldest', 'oldest first'],
          ]}
        />
      </Filters>
      <Open />
      <p class="links">
        {reveal.button}
        {entity && (
          <a href={addressOf(['history', 'entities', entity.kind, entity.id])}>
            The timeline of the {entity.kind}, with events of others that concern it
          </a>
        )}
      </p>
      {reveal.dialog}
      <Shown of={events}>
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
                <VirtualRows rows={found} height={ROW_HEIGHT} label="Events">
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
                {chosen && <Event event={chosen} />}
              </div>
            </>
          )
        }
      </Shown>
      <Command line={commandOf(parameters)} operation={operationOf('GET /history/events', parameters)} />
    </>
  );
};

/** Opens a timeline, or a read model as it was. */
const Open = () => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      const [what, id] = [form.get('what'), form.get('id')];
      if (typeof what !== 'string' || typeof id !== 'string' || id.trim() === '') return;
      go(addressOf(['history', ...what.split('/'), id.trim()]));
    }}
  >
    <label>
      <span>Open</span>
      <select name="what">
        {KINDS.map((kind) => (
          <option key={kind} value={`entities/${kind}`}>
            timeline of the {kind}
          </option>
        ))}
        {READ_MODELS.map((name) => (
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
