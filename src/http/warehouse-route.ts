import { actorOf } from '../access/access.ts';
import type { Audit } from '../audit/audited.ts';
import type { ServiceWarehouse } from '../history/operations/service-warehouse.ts';
import { MASKED_CONDITIONS_HEADER, PARQUET_MEDIA_TYPE } from '../history/operations/headers.ts';
import type { WarehouseOperation } from '../history/operations/operation.ts';
import { object } from '../schema/schema.ts';
import type { TObject } from '../schema/typebox.ts';
import type { RouteContext } from './edge/context.ts';
import { abortOnClose, setHistoryHeaders } from './history-route.ts';
import { acceptsGzip, sendStream } from './content-negotiation.ts';
import { createBodyReader, createRequestReader } from './parameters.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import { requirePreconditionsWithoutEtag } from './preconditions.ts';

export interface WarehouseRouteOptions {
  readonly warehouse: ServiceWarehouse;
  readonly audit: Audit;
  /** Of questions that the warehouse answers at once. */
  readonly warehousePlaces: ConcurrencyLimiter;
}

/** Stands for a failure whose message may quote the statement, which is not recorded. */
class QuestionFailed extends Error {}

/** Records an act that fails by that alone. */
const withoutQuoting = async <T>(record: (run: () => Promise<T>) => Promise<T>, run: () => Promise<T>): Promise<T> => {
  try {
    return await record(() =>
      run().catch((error: unknown) => {
        throw new QuestionFailed('It has no answer', { cause: error });
      }),
    );
  } catch (error) {
    throw error instanceof QuestionFailed ? error.cause : error;
  }
};

/**
 * The route of a question that the service's warehouse answers: it takes a place, has a statement recorded, and answers
 * once the whole answer is there, so that every failure has its status. A client that goes ends what is done for it.
 */
export const warehouseRoute = (
  operation: WarehouseOperation,
  { warehouse, audit, warehousePlaces: places }: WarehouseRouteOptions,
) => {
  const { params, parameters, body, method, media } = operation;
  const readRequest = createRequestReader(params, parameters);
  const isRead = method === undefined;
  const readBody = createBodyReader<TObject>(body ?? object({}));

  return async (ctx: RouteContext): Promise<void> => {
    const { caller, requestId } = ctx.state;
    const request = {
      ...readRequest(ctx),
      body: isRead ? {} : await readBody(ctx),
      medium: media?.find((each) => each === ctx.accepts([...media])),
    };
    const question = operation.ofWarehouse(request);
    await requirePreconditionsWithoutEtag(ctx.req.headers, isRead);
    const actor = actorOf(caller);
    const { signal } = abortOnClose(ctx);
    const leavePlace = await places.take(actor, signal);
    try {
      const answer = await warehouse.ask(question, signal, (tables, run) => {
        const parameters = operation.recorded?.(request, tables);
        if (!parameters) return run();
        const recorded = audit({ actor, requestId });
        return withoutQuoting((act) => recorded({ operation: 'statement', parameters }, act), run);
      });
      const type = request.medium ?? 'application/json';
      ctx.vary('Accept');
      setHistoryHeaders(ctx, type, answer.position, answer.masks);
      if (answer.maskedConditions.length > 0) ctx.set(MASKED_CONDITIONS_HEADER, answer.maskedConditions.join(', '));
      if (ctx.method === 'HEAD') {
        await answer.close();
        return;
      }
      const isGzipped = type !== PARQUET_MEDIA_TYPE && acceptsGzip(ctx);
      if (!isGzipped) ctx.length = answer.size;
      sendStream(ctx, answer.body(), isGzipped);
    } finally {
      leavePlace();
    }
  };
};
