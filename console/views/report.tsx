import { filtersIn, withQuery, type ViewAddress } from '../address.ts';
import { EquivalentCommand, hiringCommand, commandOptionsOf } from '../command.tsx';
import { Field, FilterForm } from '../form.tsx';

const reportOptionNames = ['from', 'to', 'profession', 'state', 'timeZone'] as const;

/** The report, as a page of its own: it has a style that this page may not have. */
export const Report = ({ address: { parameters } }: { readonly address: ViewAddress }) => {
  const chosen = filtersIn(parameters, reportOptionNames);
  const words = Object.entries(chosen).map((each) => each.join(' '));
  return (
    <>
      <h1>Report</h1>
      <p>The history in pictures: time to hire, the funnel, times in each state, offices by how fast they answer.</p>
      <FilterForm segments={['report']} values={parameters} button="Choose">
        <Field label="From" name="from" placeholder="2026-01-01" />
        <Field label="To" name="to" placeholder="now" />
        <Field label="Profession" name="profession" placeholder="hygienist" />
        <Field label="State" name="state" placeholder="TX" />
        <Field label="Time zone" name="timeZone" placeholder="UTC" />
      </FilterForm>
      <p>
        <a class="button" href={withQuery('../history/report', chosen)} target="_blank" rel="noopener">
          Open the report{words.length > 0 && ` of ${words.join(', ')}`}
        </a>
      </p>
      <EquivalentCommand
        line={hiringCommand('history', 'report', '--out', 'report.html', ...commandOptionsOf(chosen))}
        operation={withQuery('GET /history/report', chosen)}
      />
    </>
  );
};
