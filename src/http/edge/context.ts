import type { Middleware as KoaMiddleware, ParameterizedContext } from 'koa';
import type { RouterContext } from '@koa/router';
import type { Caller } from '../../access/access.ts';

/** What middleware leaves for later middleware. */
export interface State {
  requestId: string;
  /** Whether the client sent the request id. */
  isClientId?: boolean;
  /** Set once a route was found. */
  operation?: { readonly name: string; readonly path: string };
  /** Undefined without a known API key. */
  key?: Caller['key'] | undefined;
  /** Set if the same credentials were verified lately. */
  recalled?: Caller | undefined;
  /** Undefined until the request is admitted. */
  caller?: Caller;
  /** Why the caller was answered with a 401 or 403. */
  refusal?: string;
}
/** What the routes of operations have, by `admitCaller`. */
export interface AdmittedState extends State {
  caller: Caller;
  principal: unknown;
}
export type Context = ParameterizedContext<State>;
export type Middleware = KoaMiddleware<State>;
/** A synchronous step: nothing waits for a promise that it returns. */
export type SyncStep = (ctx: Context) => void;
export type RouteContext = RouterContext<AdmittedState>;
