import Router from '@koa/router';
import type { RouteContext, State } from './context.ts';

type Run = ReturnType<Router<State>['routes']>;
export type RouteStep = (ctx: RouteContext, next: () => Promise<unknown>) => unknown;

/** Routers by the first segment of their paths, so that a request is compared with few routes. */
export interface RouteTable {
  readonly add: (method: string, path: string, ...steps: readonly RouteStep[]) => void;
  readonly routes: Run;
  readonly routers: () => readonly Router<State>[];
}

const firstSegmentOf = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
};

export const createRouteTable = (): RouteTable => {
  const table = new Map<string, { readonly router: Router<State>; readonly run: Run }>();
  return {
    add(method, path, ...steps) {
      const segment = firstSegmentOf(path);
      const router = table.get(segment)?.router ?? new Router<State>({ sensitive: true });
      router.register(path, [method.toLowerCase()], [...steps]);
      table.set(segment, { router, run: router.routes() });
    },
    routes: (ctx, next): unknown => {
      const entry = table.get(firstSegmentOf(ctx.path));
      return entry ? (entry.run(ctx, next) as unknown) : next();
    },
    routers: () => [...table.values()].map(({ router }) => router),
  };
};
