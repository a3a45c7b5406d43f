import openapiTS, { astToString } from 'openapi-typescript';
import { isObject } from '../../schema/json.ts';

/** The paths of operations that a session of the console may ask for. */
const OPENED = /^\/(?:admin\/(?:projections|audit)|history)(?:\/|$)/;

/** What says nothing of types. */
const LEFT_OUT = new Set(['description', 'summary', 'example', 'examples', 'headers', 'security', 'tags']);

const typesAlone = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(typesAlone);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    // A member of an answer may have that name: its value is a schema.
    ([name, each]) => !LEFT_OUT.has(name) || (isObject(each) && 'type' in each),
  );
  return Object.fromEntries(kept.map(([name, each]) => [name, typesAlone(each)]));
};

const mapMembers = (value: unknown, change: (member: unknown) => unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member)])) : value;

/**
 * An operation as the page asks for it. Refusals have one form, which the page reads by itself, and all of its requests
 * have the same headers.
 */
const consoleOperation = (operation: unknown): unknown => {
  if (!isObject(operation) || !isObject(operation['responses'])) return operation;
  const answers = Object.entries(operation['responses']).filter(([status]) => status.startsWith('2'));
  const parameters: readonly unknown[] = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  return {
    ...operation,
    // With a name its types would stand apart from its path.
    operationId: undefined,
    parameters: parameters.filter((each) => isObject(each) && each['in'] !== 'header'),
    responses: Object.fromEntries(answers),
  };
};

const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  const { $ref, ...rest } = value;
  return [...(typeof $ref === 'string' ? [$ref] : []), ...Object.values(rest).flatMap(referencesIn)];
};

interface Description {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<string, unknown>>;
}

/** The part of an OpenAPI description that the console asks for, with its types alone. */
const partOf = ({ paths, components }: Description) => {
  const opened = Object.fromEntries(
    Object.entries(paths)
      .filter(([path]) => OPENED.test(path))
      .map(([path, item]) => [path, typesAlone(mapMembers(item, consoleOperation))]),
  );
  const found: Record<string, Record<string, unknown>> = {};
  const wanted = referencesIn(opened);
  for (let reference = wanted.pop(); reference !== undefined; reference = wanted.pop()) {
    const [, , kind = '', name = ''] = reference.split('/');
    const all = components[kind];
    const named = (found[kind] ??= {});
    if (name in named || !isObject(all)) continue;
    named[name] = typesAlone(all[name]);
    wanted.push(...referencesIn(named[name]));
  }
  const info = { title: 'What the console asks for', version: '1' };
  return { openapi: '3.1.0', info, paths: opened, components: found };
};

/** Of a path: methods and parameters that it does not have. Those of its operations keep requests from having them. */
const NOT_OF_PATH = /^ {8}parameters: \{\n(?: {12}\w+\?: never;\n)+ {8}\};\n|^ {8}\w+\?: never;\n/gm;
/** Of an answer: any headers. */
const ANY_HEADERS = /^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm;

/** The types of what the console asks for, as a module. */
export const consoleTypesOf = async (description: Description): Promise<string> =>
  astToString(await openapiTS(JSON.stringify(partOf(description))))
    .replaceAll(NOT_OF_PATH, '')
    .replaceAll(ANY_HEADERS, '');
