import type { Static, TObject, TSchema } from '../../schema/typebox.ts';
import {
  asksToFollow,
  type HistoryLinesOperation,
  type HistoryQuestion,
  type LinesAnswer,
} from '../../history/operations/operation.ts';
import {
  AT_HEADER,
  CODE_HEADER,
  MASKS_HEADER,
  POSITION_HEADER,
  PERSONAL_DATA_REASON_HEADER,
  RECORDED_AT_HEADER,
} from '../../history/operations/headers.ts';
import type { Moment } from '../../history/moment/moment.ts';
import { isObject } from '../../schema/json.ts';
import { createValidator } from '../../schema/validation.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { CliError, oneLineReason } from './cli-error.ts';
import { loadTerminalEnvironment, type Terminal } from './terminal.ts';

/** A service that is asked over HTTP, with the credentials in HIRING_API_KEY and HIRING_TOKEN. */
export interface ServiceTarget {
  readonly terminal: Terminal;
  readonly url: string;
  /** Why personal data is asked for; undefined where it is not. */
  readonly reason: string | undefined;
}

export class ServiceRefusedError extends CliError {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message, status === 404 ? 1 : 2);
    this.status = status;
  }
}

/** A service that may answer when it is asked again: it is away or busy, or has ended its answer too early. */
export class ServiceInterruptedError extends CliError {
  /** Whole seconds after which it says to come back. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter = 0) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Statuses of a service, or of a proxy before it, that are temporary. */
const PASSING: readonly number[] = [429, 502, 503, 504];

const placed = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));

/** Parameters are texts, numbers, truth values and lists of texts. */
const queryOf = (parameters: Readonly<Record<string, unknown>>): URLSearchParams => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (Array.isArray(value)) for (const each of value.map(String)) query.append(name, each);
    else if (typeof value === 'string') query.append(name, value);
    else if (value !== undefined) query.append(name, JSON.stringify(value));
  return query;
};

const credentialsOf = (terminal: Terminal): Readonly<Record<string, string>> => {
  const { HIRING_API_KEY: key, HIRING_TOKEN: token } = loadTerminalEnvironment(terminal);
  if (!key || !token)
    throw new CliError(
      'A service is asked with an API key of scope client in HIRING_API_KEY and the token of a user who may ask in HIRING_TOKEN',
    );
  return { 'X-API-Key': key, Authorization: `Bearer ${token}` };
};

const errorIn = async (response: Response): Promise<string> => {
  try {
    const body: unknown = JSON.parse(await response.text());
    if (isObject(body) && typeof body['error'] === 'string') return oneLine(body['error']);
  } catch {
    // A proxy may answer with anything, and an answer may be cut.
  }
  return `the status ${response.status}`;
};

/** What to throw where no answer came, or no whole one: a service may give it later, unless the command is to end. */
const noAnswer = (what: string, error: unknown, signal: AbortSignal | undefined): unknown => {
  const isLate = error instanceof DOMException && error.name === 'TimeoutError';
  if (error instanceof CliError || (signal?.aborted && !isLate)) return error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return new ServiceInterruptedError(`${what}: ${isLate ? 'it is late' : oneLineReason(cause)}`);
};

type Question = HistoryQuestion<TObject, TObject> & { readonly body?: unknown };

interface Endpoint {
  readonly path: string;
  /** Left out: GET. */
  readonly method?: 'GET' | 'POST' | undefined;
}

const request = async (
  { terminal, url: service, reason }: ServiceTarget,
  { path, method = 'GET' }: Endpoint,
  { params, parameters, body }: Question,
  signal?: AbortSignal,
): Promise<Response> => {
  const url = new URL(service);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${placed(path, params)}`;
  url.search = queryOf(parameters).toString();
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...credentialsOf(terminal),
        ...(reason === undefined ? {} : { [PERSONAL_DATA_REASON_HEADER]: encodeURIComponent(reason) }),
      },
      redirect: 'error',
      ...(signal && { signal }),
    });
  } catch (error) {
    throw noAnswer(`--from names ${service}, which cannot be asked`, error, signal);
  }
  const { status, headers } = response;
  if (response.ok) return response;
  const message = `${service} refused: ${await errorIn(response)}`;
  if (PASSING.includes(status)) throw new ServiceInterruptedError(message, Number(headers.get('Retry-After')) || 0);
  throw new ServiceRefusedError(message, status);
};

/** Makes sure that what a service gives is of a schema. @throws CliError where it is not */
const expecting = <S extends TSchema>({ url }: ServiceTarget, schema: S, what: string) => {
  const check = createValidator(schema, what);
  return (value: unknown): Static<S> => {
    const checked = check(value);
    if (!checked.ok) throw new CliError(`${url} is of another version: ${checked.message}`);
    return checked.value;
  };
};

/** Asks a service. @throws CliError where it refuses, cannot be asked, or gives no whole answer; the signal's reason */
export const askService = async <A extends TObject>(
  service: ServiceTarget,
  operation: Endpoint & { readonly answer: A },
  question: Question,
  signal?: AbortSignal,
): Promise<Static<A>> => {
  const response = await request(service, operation, question, signal);
  const body: unknown = await response.json().catch((error: unknown) => {
    const what = `${service.url} gave no whole answer`;
    throw error instanceof SyntaxError
      ? new CliError(`${what}: ${oneLineReason(error)}`)
      : noAnswer(what, error, signal);
  });
  return expecting(service, operation.answer, 'the answer')(body);
};

/** What an answer that is no JSON object says that it was made from. */
export interface AnswerProvenance {
  readonly upTo: Moment;
  readonly code: string;
  /** Tells its masks from those of another secret. */
  readonly masks: string;
}

/**
 * The lines of an answer, as they come.
 *
 * @param isEndless of what is followed; any other answer ends with an empty line
 * @throws ServiceInterruptedError where the answer is cut, also where a proxy has ended it as if it were whole
 */
async function* parsed<T>(
  { url }: ServiceTarget,
  { body }: Response,
  check: (line: unknown) => T,
  isEndless: boolean,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const cut = (cause: string) => new ServiceInterruptedError(`${url} ended its answer too early: ${cause}`);
  let [rest, isEnded] = ['', false];
  try {
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        isEnded = line === '';
        if (!isEnded) yield check(JSON.parse(line));
      }
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw signal.aborted ? signal.reason : cut(oneLineReason(error));
  }
  if (rest !== '') throw cut('a line is not whole');
  if (!isEnded && !isEndless) throw cut('its last line is missing');
}

/** Asks a service for lines, which come as they are read. @throws CliError where it refuses, or cannot be asked */
export const askServiceForLines = async <P extends TObject, Q extends TObject, L extends TSchema>(
  service: ServiceTarget,
  operation: HistoryLinesOperation<P, Q, L>,
  question: HistoryQuestion<P, Q>,
  signal: AbortSignal,
): Promise<AnswerProvenance & LinesAnswer<Static<L>>> => {
  const response = await request(service, operation, question, signal);
  const headerOf = (header: string) => response.headers.get(header);
  const check = expecting(service, operation.answer, 'a line');
  return {
    upTo: {
      at: headerOf(AT_HEADER),
      position: headerOf(POSITION_HEADER) ?? '-',
      recordedAt: headerOf(RECORDED_AT_HEADER),
    },
    code: headerOf(CODE_HEADER) ?? '-',
    masks: headerOf(MASKS_HEADER) ?? '-',
    lines: parsed(service, response, check, asksToFollow(question), signal),
  };
};
