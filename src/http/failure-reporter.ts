import type { Logger } from 'pino';
import { actorOf } from '../access/access.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import { throttleEach } from '../lib/throttle.ts';
import type { FindClientAddress } from './edge/client-address.ts';
import type { Context } from './edge/context.ts';
import { StoreUnavailableError } from '../errors/store-unavailable.ts';

/** While a store cannot be used, every request that needs it fails for the same reason. */
const SAME_MS = 60_000;

/**
 * Makes the function that logs failed requests: each defect, and an unusable store once a minute for each reason.
 *
 * @param onUnavailable told of each failure of a store
 */
export const createFailureReporter = (
  logger: Pick<Logger, 'error' | 'warn'>,
  addressOf: FindClientAddress,
  onUnavailable: (error: Error) => void,
) => {
  const unavailable = throttleEach(
    SAME_MS,
    // Causes name connections, whose numbers differ.
    ({ message }: Error, _line: object) => message,
    (error, line) =>
      logger.warn({ ...line, reason: reasonInFull(error) }, 'A store cannot be used, for this request and others'),
  );
  return (error: unknown, ctx: Context): void => {
    const { requestId, operation, caller } = ctx.state;
    const actor = caller && actorOf(caller);
    const line = { requestId, operation: operation?.name, actor, address: addressOf(ctx.req)?.toString() };
    if (error instanceof StoreUnavailableError) {
      onUnavailable(error);
      unavailable(error, line);
    } else logger.error({ ...line, err: error }, 'A request failed');
  };
};
