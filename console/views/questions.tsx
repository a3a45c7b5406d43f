import { useEffect, useState } from 'preact/hooks';
import { errorMessageOf } from '../../src/lib/error.ts';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { isObject } from '../../src/schema/json.ts';
import { allLines, api, bodyOf, type Schemas } from '../api.ts';
import { withQuery, type ViewAddress } from '../address.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { csvOf, download } from '../csv.ts';
import { Choice, Field, FilterForm } from '../form.tsx';
import { LazyDetails, LoadedContent, useLoaded } from '../loaded.tsx';
import { Table } from '../table.tsx';
import { countText, valueText } from '../text.ts';

type Row = Readonly<Record<string, unknown>>;
const toRow = (line: unknown): Row => {
  if (isObject(line)) return line;
  throw new Error('A line of the answer is no row');
};

const MAX_SHOWN = 1_000;
const COHORTS = ['day', 'week', 'month', 'quarter', 'year'] as const;
const isCohort = (text: string | null): text is Schemas['Cohort'] => COHORTS.some((cohort) => cohort === text);

const cellText = (value: unknown): string =>
  typeof value === 'number' ? value.toLocaleString(undefined, { maximumFractionDigits: 3 }) : valueText(value);

const Rows = ({ rows, name }: { readonly rows: readonly Row[]; readonly name: string }) => {
  const members = [...new Set(rows.slice(0, MAX_SHOWN).flatMap((row) => Object.keys(row)))];
  const numbers = members.filter((member) => rows.some((row) => typeof row[member] === 'number'));
  if (rows.length === 0) return <p>No rows.</p>;
  return (
    <>
      <p>
        {countText(rows.length, 'row')}
        {rows.length > MAX_SHOWN && `, of which the first ${MAX_SHOWN} are shown`}{' '}
        <button type="button" class="quiet" onClick={() => download(`${name}.csv`, csvOf(rows))}>
          CSV
        </button>
      </p>
      <Table class="rows" heads={members} numbers={numbers}>
        {rows.slice(0, MAX_SHOWN).map((row, at) => (
          <tr key={at}>
            {members.map((member) => (
              <td key={member} class={numbers.includes(member) ? 'number' : undefined}>
                {cellText(row[member])}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  );
};

const Answer = ({
  measure,
  parameters,
}: {
  readonly measure: Schemas['Measure'];
  readonly parameters: URLSearchParams;
}) => {
  const text = (name: string) => parameters.get(name) ?? undefined;
  const [by, cohort] = [text('by'), parameters.get('cohort')];
  const query = omitUndefined({
    by,
    cohort: isCohort(cohort) ? cohort : undefined,
    from: text('from'),
    to: text('to'),
    timeZone: text('timeZone'),
  });
  const answer = useLoaded(`${measure.name} ${parameters.toString()}`, (signal) =>
    bodyOf(api.GET('/history/measures/{measure}', { signal, params: { path: { measure: measure.name }, query } })),
  );
  return (
    <>
      <p>
        {measure.meaning} Unit: {measure.unit}.
      </p>
      <LoadedContent of={answer}>
        {({ rows, sql }) => (
          <>
            <Rows rows={rows} name={measure.name} />
            <details>
              <summary>SQL</summary>
              <pre>{sql}</pre>
            </details>
          </>
        )}
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('history', 'ask', measure.name, ...commandOptionsOf(query))}
        operation={withQuery(`GET /history/measures/${measure.name}`, query)}
      />
    </>
  );
};

/** The rows that the warehouse answers a statement with. @throws Failure */
const rowsOf = (statement: string, signal?: AbortSignal): Promise<Row[]> =>
  allLines(
    api.POST('/history/statements', {
      body: { statement },
      headers: { Accept: 'application/x-ndjson' },
      parseAs: 'stream',
      ...(signal && { signal }),
    }),
    toRow,
  );

/** A row for each table, facts before types of events, with its columns and what each of them holds. */
const TABLES = `SELECT table_name AS "table", first(tables.comment) AS "a row is",
  string_agg(column_name || ' ' || lower(data_type) || coalesce(': ' || columns.comment, ''), chr(10) ORDER BY column_index)
    AS columns
FROM duckdb_columns() AS columns LEFT JOIN duckdb_tables() AS tables USING (schema_name, table_name)
WHERE schema_name = 'main' AND NOT columns.internal
GROUP BY table_name ORDER BY table_name < 'a', "a row is" IS NULL, table_name`;

const Tables = () => {
  const tables = useLoaded('tables', (signal) => rowsOf(TABLES, signal));
  return <LoadedContent of={tables}>{(rows) => <Rows rows={rows} name="tables" />}</LoadedContent>;
};

const Statement = () => {
  const [statement, setStatement] = useState(
    'SELECT outcome, count(*) AS applications FROM applications GROUP BY outcome',
  );
  const [rows, setRows] = useState<readonly Row[]>();
  const [failure, setFailure] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    // Of two at once the slower answer would be shown, even if it was asked for first.
    if (isRunning || statement.trim() === '') return;
    setRunning(true);
    setFailure(undefined);
    setRows(undefined);
    try {
      setRows(await rowsOf(statement));
    } catch (error) {
      setFailure(errorMessageOf(error));
    }
    setRunning(false);
  };
  return (
    <section>
      <h2>A statement</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <label>
          <span>One SELECT from the warehouse; Ctrl and Enter runs it</span>
          <textarea
            rows={6}
            spellcheck={false}
            value={statement}
            maxLength={20_000}
            onInput={(event) => setStatement(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
            }}
          />
        </label>
        <p class="buttons">
          <button type="submit" disabled={isRunning || statement.trim() === ''}>
            {isRunning ? 'Running …' : 'Run'}
          </button>
        </p>
      </form>
      <LazyDetails summary="Tables and columns">{() => <Tables />}</LazyDetails>
      {failure !== undefined && (
        <pre class="failure" role="alert">
          {failure}
        </pre>
      )}
      {rows && <Rows rows={rows} name="statement" />}
      <EquivalentCommand line={hiringCommand('history', 'sql', statement)} operation="POST /history/statements" />
    </section>
  );
};

/** The measures that are defined once, and statements of one's own. */
export const Questions = ({ address: { parameters } }: { readonly address: ViewAddress }) => {
  const measure = parameters.get('measure');
  const [selected, setSelected] = useState(measure);
  useEffect(() => setSelected(measure), [measure]);
  const measures = useLoaded('measures', (signal) => bodyOf(api.GET('/history/measures', { signal })));
  return (
    <>
      <h1>Questions</h1>
      <LoadedContent of={measures}>
        {({ measures: all }) => {
          const chosen = all.find(({ name }) => name === measure);
          const groupings = all.find(({ name }) => name === selected)?.groupings ?? [];
          return (
            <>
              <FilterForm segments={['questions']} values={parameters} button="Ask">
                <Choice
                  label="Measure"
                  name="measure"
                  none="choose one"
                  options={all.map(({ name, meaning }) => [name, `${name}: ${meaning}`])}
                  onChoose={setSelected}
                />
                <Choice label="By" name="by" none="nothing" options={groupings} />
                <Choice label="Cohort" name="cohort" none="none" options={COHORTS} />
                <Field label="From" name="from" placeholder="2026-01-01" />
                <Field label="To, not included" name="to" />
                <Field label="Time zone" name="timeZone" placeholder="UTC" />
              </FilterForm>
              {chosen && <Answer measure={chosen} parameters={parameters} />}
            </>
          );
        }}
      </LoadedContent>
      <Statement />
    </>
  );
};
