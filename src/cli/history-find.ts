import type { Command } from 'commander';
import { entityKinds, type EntityKind } from '../domain/entity.ts';
import type { PersonOptions } from './history-person.ts';
import type { SearchOptions } from './history-search.ts';
import { MOMENT, UP_TO } from '../history/moment/moment.ts';
import { MOST_EVENTS } from '../history/operations/events.ts';
import { from, FROM_SERVICE, fromService, orService } from './parts/from.ts';
import type { AskedAt } from './parts/moments.ts';
import { withPersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';
import {
  actor,
  entity,
  entityKind,
  eventType,
  identifier,
  integer,
  logPosition,
  moment,
  person,
  several,
} from './parts/values.ts';

const LIMIT = 100;

/** Adds the commands that find events. */
export const addFinding = (history: Command, terminal: Terminal): void => {
  const withOptions = (each: Command) =>
    withPersonalOptions(each.option('--up-to <position>', UP_TO, logPosition).option('--json', 'as JSON'));
  withOptions(
    history
      .command('search')
      .description('find events by what they are, where they stand and what they hold, oldest first')
      .option('--type <type>', 'a type of events; may be given several times', eventType)
      .option('--stream <stream>', 'the events of a stream')
      .option('--entity <kind:id>', `what concerns one of: ${entityKinds.join(', ')}`, entity)
      .option('--actor <actor>', 'what one user, key or service has asked for', actor)
      .option('--correlation-id <id>', 'what one request has led to')
      .option('--where <condition>', 'data.<member>=<value>; may be given several times: all hold', several)
      .option('--from <moment>', orService('events after it, by default all'), from)
      .option('--to <moment>', `up to ${MOMENT}; by default now`, moment)
      .option('--newest', 'the newest first')
      .option('--limit <number>', 'so many events at most', integer(1, MOST_EVENTS), LIMIT)
      .option('--follow', 'go on with each event as it is appended, until it is interrupted'),
  ).action(async (options: SearchOptions) =>
    (await import('./history-search.ts')).searchHistory(terminal, options),
  );
  withOptions(
    history
      .command('show')
      .description('show the whole story of an entity: when, who, what changed, by which request')
      .argument('<kind>', `one of ${entityKinds.join(', ')}`, entityKind)
      .argument('<id>', 'its id', identifier)
      .option('--at <moment>', `as it was: ${MOMENT}; by default now`, moment)
      .option('--from <url>', FROM_SERVICE, fromService),
  ).action(async (kind: EntityKind, id: string, options: AskedAt) =>
    (await import('./history-show.ts')).showEntity(terminal, { kind, id }, options),
  );
  history
    .command('person')
    .description('print all that is held of a person, every event that names them, without masks')
    .argument(
      '<id>',
      'of a professional or a user; professional:<id> or user:<id> where both have it',
      person,
    )
    .requiredOption('--reason <text>', 'why personal data is needed; it is recorded first')
    .option('--json', 'as lines of JSON')
    .action(async (id: string, options: PersonOptions) =>
      (await import('./history-person.ts')).showPerson(terminal, id, options),
    );
};
