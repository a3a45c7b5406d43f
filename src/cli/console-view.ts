import type { Command } from 'commander';
import { HISTORY_FILTERS, toHashRoute, type ViewFilters } from '../console/hash-route.ts';
import type { Environment } from '../config/config.ts';
import { isObject } from '../schema/json.ts';

/** Where the console shows what a command prints. */

/** An option as a view has it. A service that is asked may have a console of its own, which is not known here. */
const filterOf = (option: unknown): ViewFilters[string] => {
  if (Array.isArray(option)) return option.map(String);
  if (isObject(option)) return typeof option['moment'] === 'string' ? option['moment'] : undefined;
  return typeof option === 'string' ? option : undefined;
};

type View = (args: readonly string[], options: Readonly<Record<string, unknown>>) => string;

const viewWith =
  (segments: readonly string[], ...names: readonly string[]): View =>
  (args, options) =>
    toHashRoute([...segments, ...args], Object.fromEntries(names.map((name) => [name, filterOf(options[name])])));

const projection: View = ([name]) => toHashRoute(name === undefined ? ['projections'] : ['projections', name]);
const parked: View = () => toHashRoute(['parked']);
const questions: View = ([measure], options) =>
  viewWith(['questions'], 'by', 'cohort', 'from', 'to', 'timeZone', 'measure')([], { ...options, measure });
const search: View = (_args, { newest, ...options }) =>
  viewWith(['history'], ...HISTORY_FILTERS)([], { ...options, order: newest === true ? undefined : 'oldest' });

/** By the words of the command. */
const views: Readonly<Record<string, View>> = {
  doctor: () => toHashRoute([]),
  'projections list': projection,
  'projections rebuild': projection,
  'projections verify': projection,
  'projections rollback': projection,
  'projections cancel': projection,
  'projections pause': projection,
  'projections resume': projection,
  'projections retry': parked,
  'projections skip': parked,
  'history search': search,
  'history show': viewWith(['history', 'entities'], 'at'),
  'history at': viewWith(['history', 'read-models'], 'at'),
  'history diff': ([readModel = '', partition = ''], { to }) =>
    toHashRoute(['history', 'read-models', readModel, partition], { at: filterOf(to) }),
  'history ask': questions,
  'history sql': () => toHashRoute(['questions']),
  'history report': viewWith(['report'], 'from', 'to', 'profession', 'state', 'timeZone'),
  'history audit': viewWith(['audit'], 'since', 'actor', 'operation'),
};

const wordsOf = (command: Command): string[] => (command.parent ? [...wordsOf(command.parent), command.name()] : []);

/** The address of the view of what a command prints; undefined where there is none, or no console is known. */
export const consoleUrlOfCommand = (
  command: Command,
  { CONSOLE, CONSOLE_URL = '' }: Environment,
): string | undefined => {
  const view = views[wordsOf(command).join(' ')];
  if (!view || CONSOLE === 'off' || !URL.canParse(CONSOLE_URL)) return undefined;
  return `${CONSOLE_URL.replace(/\/$/, '')}/${view(command.args, command.opts())}`;
};
