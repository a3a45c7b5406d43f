import type { ParameterizedContext, Middleware } from 'koa';
import type { RouterContext } from '@koa/router';
import type { Caller } from '../access.ts';

/** What middleware leaves for those after it. */
export interface State {
  requestId: string;
  /** The operation's name, once a route was found. */
  operation?: string;
  caller?: Caller;
}
export type Context = ParameterizedContext<State>;
export type Step = Middleware<State>;
export type RouteContext = RouterContext<State>;
