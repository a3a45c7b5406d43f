import { outcomeText, parametersText } from '../../src/audit/act-text.ts';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { api, bodyOf } from '../api.ts';
import { addressOf, withQuery, type ViewAddress } from '../address.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { csvOf, download } from '../csv.ts';
import { Field, FilterForm } from '../form.tsx';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import { Table } from '../table.tsx';
import { countText } from '../text.ts';
import { Time } from '../time.tsx';

const PAGE_SIZE = 50;

/** Who did what. */
export const Audit = ({ address: { parameters } }: { readonly address: ViewAddress }) => {
  const [since, actor, operation] = ['since', 'actor', 'operation'].map((name) => parameters.get(name) ?? undefined);
  const filters = { since, actor, operation };
  const page = Math.max(1, Number(parameters.get('page') ?? 1) || 1);
  const time = since !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(since) ? `${since}T00:00:00Z` : since;
  const query = { page, pageSize: PAGE_SIZE, ...omitUndefined({ ...filters, since: time }) };
  const acts = useLoaded(parameters.toString(), (signal) =>
    bodyOf(api.GET('/admin/audit', { signal, params: { query } })),
  );
  return (
    <>
      <h1>Audit</h1>
      <FilterForm segments={['audit']} values={parameters}>
        <Field label="Since" name="since" placeholder="2026-03-01" />
        <Field label="Actor" name="actor" />
        <Field label="Act" name="operation" placeholder="backup" />
      </FilterForm>
      <LoadedContent of={acts}>
        {({ data, total }) =>
          data.length === 0 ? (
            <p>Nothing is recorded.</p>
          ) : (
            <>
              <p>
                {countText(total, 'act')}, newest first{' '}
                <button
                  type="button"
                  class="quiet"
                  onClick={() =>
                    download('audit.csv', csvOf(data.map((act) => ({ ...act, parameters: parametersText(act) }))))
                  }
                >
                  CSV of this page
                </button>
              </p>
              <Table heads={['Requested', 'Actor', 'Act', 'Outcome', 'Asked with', 'What came of it']}>
                {data.map((act) => (
                  <tr key={act.id}>
                    <td>
                      <Time at={act.requestedAt} />
                    </td>
                    <td>
                      <a href={addressOf(['audit'], { ...filters, actor: act.actor })}>{act.actor}</a>
                    </td>
                    <td>
                      <a href={addressOf(['audit'], { ...filters, operation: act.operation })}>{act.operation}</a>
                    </td>
                    <td class={act.phase === 'failed' ? 'gone' : undefined}>{outcomeText(act)}</td>
                    <td>{parametersText(act)}</td>
                    <td>{act.detail ?? ''}</td>
                  </tr>
                ))}
              </Table>
              <p class="links">
                {page > 1 && <a href={addressOf(['audit'], { ...filters, page: String(page - 1) })}>Newer</a>}
                {page * PAGE_SIZE < total && (
                  <a href={addressOf(['audit'], { ...filters, page: String(page + 1) })}>Older</a>
                )}
              </p>
            </>
          )
        }
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('history', 'audit', ...commandOptionsOf(filters))}
        operation={withQuery('GET /admin/audit', query)}
      />
    </>
  );
};
