import type { ParameterizedContext, Middleware } from 'koa';
import type { RouterContext } from '@koa/router';
import type { Caller } from '../command-handling/access.ts';

/** What middleware leaves for those after it. */
export interface State {
  requestId: string;
  /** Whether the client has given it. */
  isGivenId?: boolean;
  /** Once a route was found. */
  operation?: { readonly name: string; readonly path: string };
  /** Whose API key the request carries; undefined without a known one. */
  key?: Caller['key'] | undefined;
  /** Once it was identified, or where it was lately. */
  caller?: Caller | undefined;
}
export type Context = ParameterizedContext<State>;
export type Step = Middleware<State>;
/** What is done to a request before it goes on. */
export type Act = (ctx: Context) => void;
export type RouteContext = RouterContext<State>;
