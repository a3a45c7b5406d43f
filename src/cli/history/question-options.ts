import { Argument, Option, type Command } from 'commander';
import { MAX_EVENTS } from '../../history/operations/events.ts';
import type { HistoryOperationBase, HistoryQuestion } from '../../history/operations/operation.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import type { TObject, TSchema } from '../../schema/typebox.ts';
import { createValidator } from '../../schema/validation.ts';
import { CliError } from '../parts/cli-error.ts';
import {
  parseFromMomentOrService,
  FROM_SERVICE_HELP,
  parseFromServiceUrl,
  type FromOption,
} from '../parts/from-option.ts';
import {
  parseActor,
  parseEntityText,
  parseEntityKind,
  collectEventTypes,
  parseIdentifier,
  integerParser,
  parseLogPosition,
  parseMomentText,
  parseHistoryReadModelName,
  collectValues,
  parseTimeZone,
} from '../parts/option-parsers.ts';

/** Commands that ask a question about the history: what the definition of its operation says, on the command line. */

/** An option or an argument. */
interface Parsed {
  argParser<T>(read: (text: string, before: T) => T): unknown;
}

const by =
  <T>(read: (text: string, before: T) => T) =>
  (parsed: Parsed): unknown =>
    parsed.argParser(read);

/** How values are named in help, and read; left out: by the name of the member, and as text. */
const members: Readonly<Record<string, readonly [value: string, read?: (parsed: Parsed) => unknown]>> = {
  at: ['moment', by(parseMomentText)],
  from: ['moment', by(parseFromMomentOrService)],
  to: ['moment', by(parseMomentText)],
  upTo: ['position', by(parseLogPosition)],
  type: ['type', by(collectEventTypes)],
  entity: ['kind:id', by(parseEntityText)],
  actor: ['actor', by(parseActor)],
  after: ['position', by(parseLogPosition)],
  correlationId: ['id'],
  where: ['condition', by(collectValues)],
  limit: ['number', by(integerParser(1, MAX_EVENTS))],
  timeZone: ['zone', by(parseTimeZone)],
  profession: ['id'],
  state: ['code'],
  readModel: ['read-model', by(parseHistoryReadModelName)],
  kind: ['kind', by(parseEntityKind)],
  id: ['id', by(parseIdentifier)],
};

/** What a definition says of a member, as help has it. */
const helpOf = (schema: Readonly<Record<string, unknown>>): string => {
  const { description = '', enum: words } = schema;
  return Array.isArray(words) ? `one of ${words.join(', ')}` : inHelp(String(description));
};

/** A sentence of a definition, as help has it. */
const inHelp = (sentence: string): string =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, '').replaceAll('`', '');

const nameOf = (member: string): string => member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const argumentOf = (member: string, schema: TSchema): Argument => {
  const [value = member, read] = members[member] ?? [];
  const argument = new Argument(`<${value}>`, helpOf({ ...schema }));
  read?.(argument);
  return argument;
};

const optionOf = (member: string, schema: TSchema): Option => {
  const [value = member, read] = members[member] ?? [];
  const isFlag = 'type' in schema && schema.type === 'boolean';
  const help = helpOf({ ...schema }) + (member === 'from' ? `; and ${FROM_SERVICE_HELP}` : '');
  const option = new Option(`--${nameOf(member)}${isFlag ? '' : ` <${value}>`}`, help);
  read?.(option);
  return option;
};

/** Of parameters that may all be left out, a schema has no list of those that may not. */
const isRequired = (schema: TObject, member: string): boolean =>
  'required' in schema && schema.required.includes(member);

/** Adds the command of a question: its arguments, its options, and that for a service. */
export const addQuestionCommand = (
  history: Command,
  operation: HistoryOperationBase,
  defaults: Readonly<Record<string, unknown>> = {},
): Command => {
  const { summary, params, parameters } = operation;
  const command = history.command(operation.command).description(inHelp(summary));
  for (const [param, schema] of Object.entries(params.properties)) command.addArgument(argumentOf(param, schema));
  for (const [name, schema] of Object.entries(parameters.properties)) {
    const option = optionOf(name, schema).makeOptionMandatory(isRequired(parameters, name));
    command.addOption(option.default(defaults[name]));
  }
  if (!('from' in parameters.properties)) command.option('--from <url>', FROM_SERVICE_HELP, parseFromServiceUrl);
  return command;
};

/** The question that a command asks. @throws CliError for what the schemas of its operation do not let pass */
export const parseQuestion = <P extends TObject, Q extends TObject>(
  { params, parameters }: HistoryOperationBase<P, Q>,
  command: Command,
): HistoryQuestion<P, Q> => {
  const checked = <S extends TObject>(schema: S, valueOf: (name: string, index: number) => unknown) => {
    const names = Object.keys(schema.properties);
    const values = omitUndefined(Object.fromEntries(names.map((name, index) => [name, valueOf(name, index)])));
    const check = createValidator(schema, command.name())(values);
    if (!check.ok) throw new CliError(check.message);
    return check.value;
  };
  const options = command.opts<Readonly<Record<string, unknown>> & { readonly from?: FromOption }>();
  if (isRequired(parameters, 'from') && options.from?.moment === undefined)
    throw new CliError('--from must name the earlier moment, beside the service');
  return {
    params: checked(params, (_name, index) => command.processedArgs[index]),
    parameters: checked(parameters, (name) => (name === 'from' ? options.from?.moment : options[name])),
  };
};
