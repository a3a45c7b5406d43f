import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventDefinitions } from '../../domain/index.ts';
import { invalid } from '../../errors/domain-error.ts';
import { isObject } from '../../schema/json.ts';
import { memberColumnTypes, type MemberColumn } from '../warehouse/member-columns.ts';
import { describeReplayFailure } from './failure.ts';

type AnyFunction = (...given: readonly unknown[]) => unknown;

/** An analyst's projection as it was loaded: only its shape is checked, by its types it was not. */
export interface LoadedReplay {
  /** As it was named. */
  readonly file: string;
  readonly init: () => unknown;
  readonly handlers: ReadonlyMap<string, AnyFunction>;
  readonly rows: AnyFunction;
  readonly columns: readonly MemberColumn[] | undefined;
  readonly needsPersonalData: boolean;
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

/** A member that is a function, called on the object that has it. */
const functionIn = (holder: Readonly<Record<string, unknown>>, name: string): AnyFunction | undefined => {
  const member = holder[name];
  return isFunction(member) ? (...given) => member.apply(holder, [...given]) : undefined;
};

const columnsIn = (columns: unknown, refuse: (reason: string) => Error): LoadedReplay['columns'] => {
  if (columns === undefined) return undefined;
  if (!isObject(columns) || Object.keys(columns).length === 0)
    throw refuse('its columns must be an object: names with types');
  return Object.entries(columns).map(([name, declared]) => {
    const type = memberColumnTypes.find((each) => each === declared);
    if (type === undefined) throw refuse(`its column ${name} has no type; allowed: ${memberColumnTypes.join(', ')}`);
    return { name, type };
  });
};

const handlersIn = (handlers: unknown, refuse: (reason: string) => Error): LoadedReplay['handlers'] => {
  if (!isObject(handlers) || Object.keys(handlers).length === 0) throw refuse('its default export has no handlers');
  return new Map(
    Object.keys(handlers).map((type) => {
      const handler = functionIn(handlers, type);
      if (!handler) throw refuse(`its handler ${type} is no function`);
      if (!eventDefinitions.some((definition) => definition.type === type))
        throw refuse(`it handles ${type}, which is no type of events; docs/events.md lists them`);
      return [type, handler];
    }),
  );
};

/** @throws DomainError for an export of another shape */
const checkedReplay = (file: string, exported: unknown): LoadedReplay => {
  const refuse = (reason: string) => invalid(`${file} is no projection: ${reason}`);
  if (!isObject(exported)) throw refuse('it has no default export that is an object');
  const init = functionIn(exported, 'init');
  const rows = functionIn(exported, 'rows');
  if (!init || !rows) throw refuse(`its default export has no function ${init ? 'rows' : 'init'}`);
  return {
    file,
    init,
    rows,
    handlers: handlersIn(exported['handlers'], refuse),
    columns: columnsIn(exported['columns'], refuse),
    needsPersonalData: exported['personalData'] === true,
  };
};

/** @throws DomainError where there is no file of code */
export const checkReplayFilePath = (file: string): void => {
  if (!EXTENSIONS.includes(extname(file)))
    throw invalid(`${file} is no file of code; allowed: ${EXTENSIONS.join(', ')}`);
  if (!existsSync(file)) throw invalid(`${file} is not there; --new writes a template`);
};

/**
 * Has TypeScript loaded from now on. From Node.js 22.15 on `registerHooks` has the hooks run in this thread, and 26
 * says of `register`, all that 20 has, that it is deprecated.
 */
const loadTypeScript = async (): Promise<void> => {
  const registerHooks: unknown = Reflect.get(nodeModule, 'registerHooks');
  if (isFunction(registerHooks)) registerHooks(await import('./typescript-hooks.thread.ts'));
  else nodeModule.register(new URL('./typescript-hooks.thread.js', import.meta.url));
};

let loading: Promise<void> | undefined;
let runs = 0;

/**
 * Loads an analyst's projection, and what it imports by relative paths, anew each time. It runs in this process, with
 * all of its rights.
 *
 * @throws DomainError where the file is not there, cannot be loaded, or exports something else
 */
export const loadReplay = async (file: string): Promise<LoadedReplay> => {
  checkReplayFilePath(file);
  await (loading ??= loadTypeScript());
  const url = pathToFileURL(file);
  url.searchParams.set('replay', String(++runs));
  let loaded: unknown;
  try {
    loaded = await import(url.href);
  } catch (error) {
    throw invalid(`${file} cannot be loaded: ${describeReplayFailure(file, error)}`);
  }
  return checkedReplay(file, isObject(loaded) ? loaded['default'] : undefined);
};
