import { measureNamed, statementAbout, WAITING } from '../warehouse/measures.ts';
import { countByClass, countsByClass, dayClasses, drawHistograms, isDrawn } from './histogram.ts';
import { conditionsOf, numberOrNull, type Source } from './source.ts';
import { countOf, countText, durationText, shareText, sum } from './words.ts';

/** Days that an application has waited. */
const AGE = "date_diff('second', applied_at, last_recorded_at()) / 86400";

/** How long the applications wait that no office has answered. */
export const waiting: Source<'ages' | 'median'> = {
  statements(scope) {
    const measure = measureNamed('waiting');
    const rows = statementAbout(measure, [], [`${AGE} AS days`], [WAITING, ...conditionsOf(measure, scope)]);
    return {
      ages: countByClass(rows, 'days', dayClasses, ['count(*) AS applications']),
      median: `SELECT round(quantile_disc(days, 0.5), 3) AS median, round(max(days), 3) AS oldest\nFROM (${rows})`,
    };
  },
  section({ ages, median: [middle] }) {
    const counts = countsByClass(ages, 'applications', dayClasses);
    const all = sum(counts);
    return {
      id: 'waiting',
      title: 'Applications that wait for an answer',
      finding:
        all === 0
          ? 'No application waits for an answer.'
          : `${countOf(all, 'application')} of open postings ${all === 1 ? 'waits' : 'wait'} for a first answer: half of them for ` +
            `${durationText(numberOrNull(middle, 'median'))} or longer, the oldest for ${durationText(numberOrNull(middle, 'oldest'))}.`,
      picture: !isDrawn(counts)
        ? null
        : (width) =>
            drawHistograms(
              dayClasses,
              [{ heading: 'Applications a day of age', tone: 'first', counts }],
              width,
            ),
      legend: [],
      table: {
        caption: 'Waiting applications by age',
        columns: ['Age', 'Applications', 'Share'],
        rows: dayClasses.names.map((name, at) => [
          name,
          countText(counts[at] ?? 0),
          shareText(counts[at] ?? 0, all),
        ]),
      },
      note:
        'The age is the time from the application to the last event that is looked at. Classes differ in width: the area of a ' +
        'bar is its number of applications, the height how many there are for each day.',
    };
  },
};
