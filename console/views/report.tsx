import type { Address } from '../address.ts';
import { Command, hiring, optionOf } from '../command.tsx';
import { Field, Filters } from '../form.tsx';

const options = ['from', 'to', 'profession', 'state', 'timeZone'] as const;

/** The report, as a page of its own: it has a style that this page may not have. */
export const Report = ({ address: { parameters } }: { readonly address: Address }) => {
  const given = options.flatMap((name) => {
    const value = parameters.get(name);
    return value ? [[name, value] as const] : [];
  });
  const query = new URLSearchParams(given.map(([name, value]) => [name, value])).toString();
  return (
    <>
      <h1>Report</h1>
      <p>
        The history in pictures: time to hire, the funnel, times in each state, offices by how fast they
        answer.
      </p>
      <Filters segments={['report']} button="Choose">
        <Field label="From" name="from" value={parameters.get('from')} placeholder="2026-01-01" />
        <Field label="To" name="to" value={parameters.get('to')} placeholder="now" />
        <Field
          label="Profession"
          name="profession"
          value={parameters.get('profession')}
          placeholder="hygienist"
        />
        <Field label="State" name="state" value={parameters.get('state')} placeholder="TX" />
        <Field label="Time zone" name="timeZone" value={parameters.get('timeZone')} placeholder="UTC" />
      </Filters>
      <p>
        <a
          class="button"
          href={`../history/report${query === '' ? '' : `?${query}`}`}
          target="_blank"
          rel="noopener"
        >
          Open the report
          {given.length > 0 && ` of ${given.map(([name, value]) => `${name} ${value}`).join(', ')}`}
        </a>
      </p>
      <Command
        line={hiring(
          'history',
          'report',
          '--out',
          'report.html',
          ...given.flatMap(([name, value]) => [optionOf(name), value]),
        )}
        operation={`GET /history/report${query === '' ? '' : `?${query}`}`}
      />
    </>
  );
};
