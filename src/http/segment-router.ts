import Router from '@koa/router';
import type { AdmittedState, RouteContext } from './edge/context.ts';

type Run = ReturnType<Router<AdmittedState>['routes']>;
export type RouteStep = (ctx: RouteContext, next: () => Promise<unknown>) => unknown;

const firstSegmentOf = (path: string): string => {
  const end = path.indexOf('/', 1);
  return end < 0 ? path : path.slice(0, end);
};

/** Routers by the first segment of their paths, so that a request is compared with few routes. */
export const createSegmentRouter = () => {
  const table = new Map<string, { readonly router: Router<AdmittedState>; readonly run: Run }>();
  const paths: string[] = [];
  const routes: Run = (ctx, next): unknown => {
    const entry = table.get(firstSegmentOf(ctx.path));
    return entry ? (entry.run(ctx, next) as unknown) : next();
  };
  return {
    add(method: string, path: string, ...steps: readonly RouteStep[]): void {
      const segment = firstSegmentOf(path);
      const router = table.get(segment)?.router ?? new Router<AdmittedState>({ sensitive: true });
      router.register(path, [method.toLowerCase()], [...steps]);
      table.set(segment, { router, run: router.routes() });
      paths.push(path);
    },
    routes,
    /** Of all routes, with `:name` for a parameter. */
    paths: paths as readonly string[],
  };
};
export type SegmentRouter = ReturnType<typeof createSegmentRouter>;
