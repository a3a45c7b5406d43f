import { newUuid } from '../lib/uuid.ts';
import type { FindApiKey } from './api-keys.ts';
import type { SyncStep } from './edge/context.ts';

const USABLE = /^[A-Za-z0-9._-]{8,64}$/;
/** Seven digits or more (the shortest of E.164), with any separators, anywhere. */
const NUMBER_TO_CALL = /\d(?:[._-]*\d){6}/;
/** Ids of tracers, which may hold such digits by chance: UUIDs (RFC 9562), and hexadecimal ids with some letters. */
const RANDOM =
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$|^(?=(?:\d*[a-f]){3})(?:[0-9a-f]{16}|[0-9a-f]{32})$/i;

/** A client's id goes into the application log and events: it must not look like a phone number or be an API key. */
const isUsableRequestId = (id: string, findKey: FindApiKey): boolean =>
  USABLE.test(id) && (RANDOM.test(id) || !NUMBER_TO_CALL.test(id)) && findKey(id) === undefined;

/** Sets `X-Request-Id`: the client's if usable, or a new one. */
export const assignRequestId =
  (findKey: FindApiKey): SyncStep =>
  (ctx) => {
    const { 'x-request-id': header } = ctx.req.headers;
    const isClientId = typeof header === 'string' && isUsableRequestId(header, findKey);
    const id = isClientId ? header : newUuid();
    ctx.state.requestId = id;
    ctx.state.isClientId = isClientId;
    ctx.res.setHeader('X-Request-Id', id);
  };
