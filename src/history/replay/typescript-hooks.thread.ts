import { readFile } from 'node:fs/promises';
import type { LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';
import { isObject } from '../../schema/json.ts';

/**
 * Module hooks (`node:module`, `register`), which Node.js runs in a thread of their own: they load TypeScript by taking
 * its types out, so that lines and columns stay, and load it anew for each run.
 */

/** The parameter of a URL that numbers the run; files without it are not touched. */
const RUN = 'replay';
const TYPESCRIPT = /\.m?ts$/;

/** What the package throws is no Error. */
const failureOf = (thrown: unknown): Error => {
  const { message, startLine } = isObject(thrown) ? thrown : {};
  const line = typeof startLine === 'number' ? `line ${startLine}: ` : '';
  return new Error(`${line}${typeof message === 'string' ? message : String(thrown)}`);
};

/** Takes the types out of TypeScript. @throws Error for syntax that is none, or that is more than types */
const withoutTypes = (source: string, filename: string): string => {
  try {
    return transformSync(source, { mode: 'strip-only', module: true, filename }).code;
  } catch (thrown) {
    throw failureOf(thrown);
  }
};

/** What a file of a run imports by a relative path belongs to the run. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context);
  const run = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get(RUN);
  if (run === null || !resolved.url.startsWith('file:') || !/^\.{0,2}\//.test(specifier)) return resolved;
  const url = new URL(resolved.url);
  url.searchParams.set(RUN, run);
  return { ...resolved, url: url.href };
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const { protocol, pathname, searchParams } = new URL(url);
  if (protocol !== 'file:' || !searchParams.has(RUN) || !TYPESCRIPT.test(pathname))
    return nextLoad(url, context);
  const file = fileURLToPath(url);
  return { format: 'module', shortCircuit: true, source: withoutTypes(await readFile(file, 'utf8'), file) };
};
