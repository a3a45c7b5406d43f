import { readFileSync } from 'node:fs';
import type { LoadHook, ResolveFnOutput, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/wasm-typescript';
import { isObject } from '../../schema/json.ts';

/**
 * Module hooks (`node:module`): they load TypeScript by taking its types out, so that lines and columns stay, and load
 * it anew for each run. By `register` Node.js runs them in a thread of their own, where the next hook gives a promise;
 * by `registerHooks` in the thread that loads, where all of it is synchronous.
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
export const resolve: ResolveHook = (specifier, context, nextResolve) => {
  const run = context.parentURL === undefined ? null : new URL(context.parentURL).searchParams.get(RUN);
  const inRun = (resolved: ResolveFnOutput): ResolveFnOutput => {
    if (run === null || !resolved.url.startsWith('file:') || !/^\.{0,2}\//.test(specifier)) return resolved;
    const url = new URL(resolved.url);
    url.searchParams.set(RUN, run);
    return { ...resolved, url: url.href };
  };
  const resolved = nextResolve(specifier, context);
  return resolved instanceof Promise ? resolved.then(inRun) : inRun(resolved);
};

export const load: LoadHook = (url, context, nextLoad) => {
  const { protocol, pathname, searchParams } = new URL(url);
  if (protocol !== 'file:' || !searchParams.has(RUN) || !TYPESCRIPT.test(pathname)) return nextLoad(url, context);
  const file = fileURLToPath(url);
  return { format: 'module', shortCircuit: true, source: withoutTypes(readFileSync(file, 'utf8'), file) };
};
