import { useEffect, useRef, useState } from 'preact/hooks';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { api, bodyOf, type Schemas } from '../api.ts';
import { addressOf, navigate, withQuery, type ViewAddress } from '../address.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { Dialog } from '../dialog.tsx';
import { findEvents, isReadModelName, partitionKinds, type ReadModelName, type RecordedEvent } from '../events.ts';
import { Field, FilterForm } from '../form.tsx';
import { useGridFocus } from '../grid-focus.ts';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import { useReveal } from '../reveal.tsx';
import { TableHead } from '../table.tsx';
import { countText, valueText } from '../text.ts';
import { Time, WhenAndWho } from '../time.tsx';

const MAX_EVENTS = 10_000;
const MAX_SHOWN = 1_000;
const SETTLED_MS = 150;

type Row = Readonly<Record<string, unknown>>;

const idOf = (row: Row): string => (typeof row['id'] === 'string' ? row['id'] : '');

/** Which event made a member what it is. */
const MemberExplanation = ({
  explanation,
  member,
}: {
  readonly explanation: Schemas['RowExplanation'];
  readonly member: string;
}) => {
  const found = explanation.members.filter((each) => each.member === member || each.member.startsWith(`${member}.`));
  if (found.length === 0)
    return (
      <p>
        {explanation.withheld.includes(member) ? 'It is withheld, and so is what changed it.' : 'No event has set it.'}
      </p>
    );
  return (
    <ul>
      {found.map(({ member: name, value, by }) => (
        <li key={name}>
          <strong>{name}</strong> is {valueText(value)} by {by.type} of{' '}
          <a href={addressOf(['history'], { stream: by.stream, order: 'oldest' })}>{by.stream}</a> at {by.position},{' '}
          <Time at={by.recordedAt} />, by {by.actor}
        </li>
      ))}
    </ul>
  );
};

const Explanation = ({
  readModel,
  row,
  member,
  at,
  shown,
  onClose,
}: {
  readonly readModel: ReadModelName;
  readonly row: string;
  readonly member: string;
  readonly at: string | undefined;
  /** Changes where personal data is shown, or not any more. */
  readonly shown: string;
  readonly onClose: () => void;
}) => {
  const explanation = useLoaded(`${readModel} ${row} ${at ?? ''} ${shown}`, (signal) =>
    bodyOf(
      api.GET('/history/read-models/{readModel}/rows/{row}/explanation', {
        signal,
        params: { path: { readModel, row }, query: omitUndefined({ at }) },
      }),
    ),
  );
  return (
    <Dialog title={`Why ${member} of ${row}`} onClose={onClose}>
      <LoadedContent of={explanation}>
        {(found) => <MemberExplanation explanation={found} member={member} />}
      </LoadedContent>
      <p class="buttons">
        <button type="button" onClick={onClose} autofocus>
          Close
        </button>
      </p>
      <EquivalentCommand
        line={hiringCommand('history', 'explain', readModel, row, ...commandOptionsOf({ at }))}
        operation={withQuery(`GET /history/read-models/${readModel}/rows/${encodeURIComponent(row)}/explanation`, {
          at,
        })}
      />
    </Dialog>
  );
};

/** The cells that differ from an earlier moment: just before an event, or the one compared with. */
const changedCells = (difference: Schemas['ReadModelDifference'] | undefined): ReadonlySet<string> =>
  new Set(
    difference?.rows.flatMap((row) =>
      row.kind === 'changed'
        ? row.members.map(({ member }) => `${row.id} ${member.split('.')[0] ?? ''}`)
        : [`${row.id} *`],
    ) ?? [],
  );

const Rows = ({
  rows,
  changed,
  onWhy,
}: {
  readonly rows: readonly Row[];
  readonly changed: ReadonlySet<string>;
  readonly onWhy: (row: string, member: string) => void;
}) => {
  const members = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isChangedIn = (row: Row, member: string) =>
    changed.has(`${idOf(row)} ${member}`) || changed.has(`${idOf(row)} *`);
  // What the event changed is shown in any case.
  const shown =
    rows.length <= MAX_SHOWN
      ? rows
      : rows.filter((row, at) => at < MAX_SHOWN || members.some((member) => isChangedIn(row, member)));
  const table = useRef<HTMLTableElement>(null);
  useGridFocus(table);
  return (
    <div class="wide">
      <p id="cells-help" class="note">
        A click on a cell says why it is what it is; arrow keys go from cell to cell.
      </p>
      <table ref={table} role="grid" aria-describedby="cells-help">
        <caption>
          {countText(rows.length, 'row')}
          {shown.length < rows.length &&
            `, of which the first ${MAX_SHOWN.toLocaleString()} and those that changed are shown`}
        </caption>
        <TableHead of={members} />
        <tbody>
          {shown.map((row) => {
            const id = idOf(row);
            return (
              <tr key={id}>
                {members.map((member) => {
                  const isChanged = isChangedIn(row, member);
                  return (
                    <td key={member} class={isChanged ? 'added' : undefined}>
                      <button
                        type="button"
                        class="cell"
                        tabIndex={-1}
                        title={valueText(row[member])}
                        onClick={() => onWhy(id, member)}
                      >
                        {valueText(row[member])}
                        {isChanged && <span class="hidden"> (changed)</span>}
                      </button>
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
};

/** How many rows differ from an earlier moment, and which are gone. */
const Differences = ({ difference: { rows, from } }: { readonly difference: Schemas['ReadModelDifference'] }) => {
  const of = (kind: (typeof rows)[number]['kind']) => rows.filter((row) => row.kind === kind);
  const gone = of('gone').map(({ id }) => id);
  return (
    <p role="status">
      Since {from.at === null ? from.position : <Time at={from.at} />}: {countText(of('changed').length, 'row')}{' '}
      changed, {of('added').length} new, {gone.length} gone
      {gone.length > 0 && `: ${gone.join(', ')}`}.
    </p>
  );
};

/** The place of a moment between events: that of the last one before it; undefined is now. */
const placeOf = (events: readonly RecordedEvent[], moment: string | undefined): number => {
  if (moment === undefined) return events.length;
  const time = moment.includes('-') ? Date.parse(moment) : NaN;
  const isUpTo = ({ position, recordedAt }: RecordedEvent): boolean =>
    Number.isNaN(time) ? position <= moment : recordedAt !== null && Date.parse(recordedAt) <= time;
  return Math.max(0, events.findLastIndex(isUpTo));
};

/** A slider over the events that concern the partition; the last place is now. */
const Slider = ({
  events,
  position,
  time,
  onChoose,
}: {
  readonly events: readonly RecordedEvent[];
  readonly position: string | undefined;
  /** That the moment was given by; null for a position. */
  readonly time: string | null;
  readonly onChoose: (position: string | undefined) => void;
}) => {
  const found = position === undefined ? -1 : events.findIndex((event) => event.position === position);
  const chosen = found < 0 ? placeOf(events, position) : found;
  const [at, setAt] = useState(chosen);
  useEffect(() => setAt(chosen), [chosen]);
  useEffect(() => {
    if (at === chosen) return;
    const settled = setTimeout(() => onChoose(events[at]?.position), SETTLED_MS);
    return () => clearTimeout(settled);
  }, [at, chosen]);
  // A moment that is none of these events, or is after the first of them that are asked for.
  const isBetween = position !== undefined && found < 0 && at === chosen;
  const event = isBetween ? undefined : events[at];
  const text = isBetween
    ? `as of ${time ?? position}`
    : event
      ? `just after ${event.type} at ${event.position}`
      : 'now';
  return (
    <div class="slider">
      <label>
        <span>Moment</span>
        <input
          type="range"
          min={0}
          max={events.length}
          value={at}
          aria-valuetext={text}
          onInput={(input) => setAt(Number(input.currentTarget.value))}
        />
      </label>
      <p role="status">
        {isBetween && time !== null ? (
          <>
            as of <Time at={time} />
          </>
        ) : (
          text
        )}
        {event && <WhenAndWho event={event} />}
      </p>
    </div>
  );
};

const ReadModelAtMoment = ({
  readModel,
  partition,
  address,
}: {
  readonly readModel: ReadModelName;
  readonly partition: string;
  readonly address: ViewAddress;
}) => {
  const reveal = useReveal();
  const [why, setWhy] = useState<{ readonly row: string; readonly member: string }>();
  const at = address.parameters.get('at') ?? undefined;
  const since = address.parameters.get('since') ?? undefined;
  const entity = `${partitionKinds[readModel]}:${partition}`;
  const path = { readModel, partition };
  const here = ['history', 'read-models', readModel, partition];
  const events = useLoaded(entity, (signal) => findEvents({ entity, limit: MAX_EVENTS }, signal));
  const rows = useLoaded(`${readModel} ${partition} ${at ?? ''} ${reveal.key}`, (signal) =>
    bodyOf(
      api.GET('/history/read-models/{readModel}/{partition}', {
        signal,
        params: { path, query: omitUndefined({ at }) },
      }),
    ),
  );
  // The rows of one moment stand until those of the next are there, so that the page does not jump.
  const last = useRef<{ readonly shown: string; readonly answer: Schemas['ReadModelAt'] }>();
  if (rows.data) last.current = { shown: reveal.key, answer: rows.data };
  const isStale = rows.isLoading && last.current?.shown === reveal.key;
  // A position in the form in which events have it; a time as it was written.
  const moment = rows.data?.at === null ? at && rows.data.position : at;
  const index = events.data?.findIndex(({ position }) => position === moment) ?? -1;
  const before = since ?? (at === undefined ? undefined : events.data?.[index - 1]?.position);
  const difference = useLoaded(`${readModel} ${partition} ${before ?? ''} ${at ?? ''}`, (signal) =>
    before === undefined
      ? Promise.resolve(undefined)
      : bodyOf(
          api.GET('/history/read-models/{readModel}/{partition}/difference', {
            signal,
            params: { path, query: { from: before, ...omitUndefined({ to: at }) } },
          }),
        ),
  );
  const isCompared = since !== undefined;
  const question = isCompared
    ? { command: 'diff', path: '/difference', filters: { from: since, to: at } }
    : { command: 'at', path: '', filters: { at } };
  return (
    <>
      <h1>
        {readModel} of {partition}
      </h1>
      <p class="links">
        <a href={addressOf(['history', 'entities', partitionKinds[readModel], partition])}>Timeline</a>
        {reveal.button}
      </p>
      {reveal.dialog}
      <FilterForm segments={here} values={address.parameters}>
        <Field label="As of" name="at" placeholder="day, time or position" />
        <Field label="Compared with" name="since" placeholder="an earlier one" />
      </FilterForm>
      <LoadedContent of={events}>
        {(found) => (
          <Slider
            events={found}
            position={moment}
            time={rows.data?.at ?? null}
            onChoose={(position) => navigate(addressOf(here, { at: position, since }), 'replace')}
          />
        )}
      </LoadedContent>
      <LoadedContent of={isStale ? { ...rows, data: last.current?.answer } : rows}>
        {({ rows: found, withheld, leftOut }) => (
          <div aria-busy={isStale}>
            {leftOut.length > 0 && (
              <p class="note">
                Every event is applied anew here, also where an operator had one skipped: what is served may be further
                on.
              </p>
            )}
            {leftOut.map(({ stream, type, position, reason }) => (
              <p class="failure" key={position}>
                {type} of {stream} at {position} is left out: {reason}
              </p>
            ))}
            {isCompared && (
              <LoadedContent of={difference}>{(found) => found && <Differences difference={found} />}</LoadedContent>
            )}
            <Rows
              rows={found}
              changed={changedCells(difference.data)}
              onWhy={(row, member) => setWhy({ row, member })}
            />
            {withheld.length > 0 && <p class="note">Withheld: {withheld.join(', ')}</p>}
          </div>
        )}
      </LoadedContent>
      {why && (
        <Explanation readModel={readModel} at={at} shown={reveal.key} {...why} onClose={() => setWhy(undefined)} />
      )}
      <EquivalentCommand
        line={hiringCommand('history', question.command, readModel, partition, ...commandOptionsOf(question.filters))}
        operation={withQuery(`GET /history/read-models/${readModel}/${partition}${question.path}`, question.filters)}
      />
    </>
  );
};

/** A read model as of any event, with what that event changed. */
export const ReadModel = ({
  readModel,
  ...rest
}: {
  readonly readModel: string;
  readonly partition: string;
  readonly address: ViewAddress;
}) =>
  isReadModelName(readModel) ? (
    <ReadModelAtMoment readModel={readModel} {...rest} />
  ) : (
    <p>There is no read model {readModel}.</p>
  );
