import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { RouterContext } from '@koa/router';
import type { Caller } from '../access/access.ts';

/** What middleware leaves for later middleware. */
export interface State {
  requestId: string;
  /** Whether the client sent the request id. */
  isGivenId?: boolean;
  /** Set once a route was found. */
  operation?: { readonly name: string; readonly path: string };
  /** Undefined without a known API key. */
  key?: Caller['key'] | undefined;
  /** Set if the same credentials were verified lately. */
  recalled?: Caller | undefined;
  /** By `admit`, as is the principal: for the routes of operations alone. */
  caller: Caller;
  principal: unknown;
  /** Why the caller was answered with a 401 or 403. */
  refusal?: string;
}
export type Context = ParameterizedContext<State>;
/** The caller; undefined for a request that was not admitted. */
export const admittedCaller = ({
  state,
}: {
  readonly state: { readonly caller?: Caller };
}): Caller | undefined => state.caller;
export type Middleware = KoaMiddleware<State>;
/** A synchronous step: nothing waits for a promise that it returns. */
export type Act = (ctx: Context) => void;
export type RouteContext = RouterContext<State>;
