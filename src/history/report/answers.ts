import { barRows } from './bar-rows.ts';
import { measureNamed, statementAbout } from '../warehouse/measures.ts';
import { countByClass, countsByClass, dayClasses, drawHistograms, isDrawn } from './histogram.ts';
import { ask, conditionsOf, numberIn, numberOrNull, textIn, type Source } from './source.ts';
import { countOf, countText, durationText, shareText, shortened, sum } from './words.ts';

/** How long offices take to answer applications. */
export const answers: Source<'time' | 'classes' | 'waiting'> = {
  statements(scope) {
    const measure = measureNamed('time_to_answer');
    const took = "date_diff('second', applied_at, first_answer_at) / 86400";
    return {
      time: ask(scope, 'time_to_answer'),
      classes: countByClass(
        statementAbout(measure, [], [`${took} AS days`], conditionsOf(measure, scope)),
        'days',
        dayClasses,
        ['count(*) AS applications'],
      ),
      waiting: ask(scope, 'waiting'),
    };
  },
  section({ time: [time], classes, waiting: [waits] }) {
    const counts = countsByClass(classes, 'applications', dayClasses);
    const [all, answered, waiting] = [numberIn(time, 'rows'), sum(counts), numberIn(waits, 'waiting')];
    const closed = all - answered - waiting;
    const median = numberOrNull(time, 'time_to_answer');
    return {
      id: 'answers',
      title: 'How fast offices answer',
      finding:
        all === 0
          ? 'Nobody applied in the span.'
          : `${median === null ? 'Fewer than half of the applications are answered yet' : `Half of the applications are answered within ${durationText(median)}, those that wait counted as long as they do`}. ` +
            `Waiting: ${countText(waiting)}; closed with their posting without an answer: ${countText(closed)}.`,
      picture: !isDrawn(counts)
        ? null
        : (width) =>
            drawHistograms(
              dayClasses,
              [{ heading: 'Answers a day of waiting', tone: 'first', counts }],
              width,
            ),
      legend: [],
      table: {
        caption: 'Applications by the time to their first answer',
        columns: ['Time', 'Applications', 'Share'],
        rows: [
          ...dayClasses.names.map((name, at) => [name, counts[at] ?? 0] as const),
          ['still waiting', waiting] as const,
          ['closed without', closed] as const,
        ].map(([name, count]) => [name, countText(count), shareText(count, all)]),
      },
      note:
        'An answer is the office’s first shortlisting, interview, hire or rejection. Half of the applications: the estimate of ' +
        'Kaplan and Meier. Classes differ in width: the area of a bar is its number of answers.',
    };
  },
};

/** Offices that are named, at most, and the applications that one of them has at least. */
const [MOST, FEWEST] = [20, 5];
const NAME = 22;

/** The offices that take longest to answer. */
export const offices: Source<'offices'> = {
  statements: (scope) => ({
    offices: [
      'SELECT *, count(*) OVER () AS offices',
      `FROM (${ask(scope, 'time_to_answer', { by: 'office' })})`,
      `WHERE "rows" >= ${FEWEST}`,
      `ORDER BY time_to_answer DESC NULLS FIRST, "rows" DESC, office_id LIMIT ${MOST}`,
    ].join('\n'),
  }),
  section({ offices: found }) {
    const names = found.map((row) => textIn(row, 'office_name') || textIn(row, 'office_id') || 'not known');
    const isAmbiguous = (name: string): boolean => names.filter((each) => each === name).length > 1;
    const named = found.map((row, at) => ({
      name: names[at] ?? '',
      // Offices may have one name.
      full: isAmbiguous(names[at] ?? '') ? `${names[at]} (${textIn(row, 'office_id')})` : (names[at] ?? ''),
      days: numberOrNull(row, 'time_to_answer'),
      applications: numberIn(row, 'rows'),
    }));
    const all = numberIn(found[0], 'offices');
    const slowest = named.find(({ days }) => days !== null);
    return {
      id: 'offices',
      title: 'Offices that take longest to answer',
      finding:
        all === 0
          ? `No office has ${FEWEST} applications.`
          : `${countOf(all, 'office')} had ${FEWEST} applications or more` +
            (all > MOST ? `; of the ${MOST} that take longest, ` : '; ') +
            (slowest
              ? `${slowest.name} answers half of them within ${durationText(slowest.days)}.`
              : 'none has answered half of them yet.'),
      picture:
        all === 0
          ? null
          : (width) =>
              barRows(
                named.map(({ name }) => shortened(name, NAME)),
                [
                  {
                    heading: 'Days',
                    tone: 'first',
                    bars: named.map(({ days }) => ({
                      value: days ?? 0,
                      text: days === null ? 'not half yet' : days.toFixed(1),
                    })),
                  },
                ],
                width,
              ),
      legend: [],
      table: {
        caption: 'Offices by the time within which half of their applications are answered',
        columns: ['Office', 'Applications', 'Half within'],
        rows: named.map(({ full, applications, days }) => [
          full,
          countText(applications),
          days === null ? 'not half yet' : durationText(days),
        ]),
      },
      note: 'By Kaplan and Meier: an application that waits, or was closed unanswered, counts as long as it waited.',
    };
  },
};
