import Router from '@koa/router';
import type { Admitted, RouteContext } from './context.ts';

type Run = ReturnType<Router<Admitted>['routes']>;
export type RouteStep = (ctx: RouteContext, next: () => Promise<unknown>) => unknown;

/** Routers by the first segment of their paths, so that a request is compared with few routes. */
export interface RouteTable {
  readonly add: (method: string, path: string, ...steps: readonly RouteStep[]) => void;
  readonly routes: Run;
  /** Of all routes, with `:name` for what is a parameter. */
  readonly paths: readonly string[];
}

const firstSegmentOf = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
};

export const createRouteTable = (): RouteTable => {
  const table = new Map<string, { readonly router: Router<Admitted>; readonly run: Run }>();
  const paths: string[] = [];
  return {
    add(method, path, ...steps) {
      const segment = firstSegmentOf(path);
      const router = table.get(segment)?.router ?? new Router<Admitted>({ sensitive: true });
      router.register(path, [method.toLowerCase()], [...steps]);
      table.set(segment, { router, run: router.routes() });
      paths.push(path);
    },
    routes: (ctx, next): unknown => {
      const entry = table.get(firstSegmentOf(ctx.path));
      return entry ? (entry.run(ctx, next) as unknown) : next();
    },
    paths,
  };
};
