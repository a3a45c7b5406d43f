import type { FigureGroup } from '../figure.ts';
import { startService } from '../processes/service.ts';
import { exportsOf } from './history-exports.ts';
import { questionsAbout } from './history-questions.ts';
import { statementsOn } from './history-sql.ts';

export const history: FigureGroup = {
  name: 'history',
  title: 'The history, for analysts',
  about: [
    '`hiring history export` of all events: the whole command with its start, until the files are on disk. Baseline: reading every column of every event, and `JSON.parse` of what is JSON. The object-centric export is measured once.',
    'Questions about one posting, over HTTP, one after the other, to a service that does nothing else. `search` gives all events that name the posting; `at` asks for the middle of the event log; `diff` goes from there to its end.',
    '`hiring history sql`: the whole command with its start, over a warehouse that exists; once after more events, and once grouping all events.',
  ],
  measures: [
    { name: 'perSecond', title: 'events/s', digits: 0 },
    { name: 'seconds', title: 'seconds', digits: 2 },
    { name: 'memoryMb', title: 'peak resident, MB', digits: 0 },
    { name: 'milliseconds', title: 'ms', digits: 0 },
  ],
  // It takes a quarter of an hour.
  isDefault: false,
  async *figures(context) {
    const world = await context.world(context.settings.events);
    for (const figure of exportsOf(world, context)) yield figure;
    yield await statementsOn(world, context);
    const { url } = context.keep(await startService(world.directory));
    for await (const figure of questionsAbout(world, url)) yield figure;
  },
};
