import { Type } from '../schema/typebox.ts';
import { isoDurationOfMinutes, type RoadRoute } from '../domain/commute.ts';
import type { Coordinates } from '../domain/saved-postings.ts';
import { readBoundedText } from '../lib/bounded-text.ts';
import { createValidator } from '../schema/validation.ts';
import { failureName } from '../ports/failure-name.ts';

/** The way by car; rejects when there is none or the router fails, with a message without coordinates. */
export type RoadRouter = (from: Coordinates, to: Coordinates) => Promise<RoadRoute>;

const TIMEOUT_MS = 5_000;
/** Without the way's shape, which is not asked for, an answer has about 1 KB. */
const MAX_ANSWER_BYTES = 65_536;
const METRES_PER_MILE = 1_609.344;
/** OSRM's own precision; it also keeps exponents out of the URL. */
const COORDINATE_DECIMALS = 6;

/** OSRM's route service, version 1: metres and seconds. */
const checkAnswer = createValidator(
  Type.Object({
    code: Type.Literal('Ok'),
    routes: Type.Array(Type.Object({ distance: Type.Number({ minimum: 0 }), duration: Type.Number({ minimum: 0 }) }), {
      minItems: 1,
    }),
  }),
  'answer',
);

const toOsrmCoordinates = ({ latitude, longitude }: Coordinates): string =>
  [longitude, latitude].map((degrees) => String(Number(degrees.toFixed(COORDINATE_DECIMALS)))).join(',');

/** A router that asks an OSRM server. */
export const createOsrmRouter =
  (base: URL, { timeoutMs = TIMEOUT_MS } = {}): RoadRouter =>
  async (from, to) => {
    const url = new URL(base);
    url.pathname = `${base.pathname.replace(/\/+$/, '')}/route/v1/driving/${toOsrmCoordinates(from)};${toOsrmCoordinates(to)}`;
    url.searchParams.set('overview', 'false');
    const { status, answer } = await askOsrm(url, timeoutMs);
    const checked = checkAnswer(answer);
    if (!checked.ok) throw new Error(`The road router answered ${status}${codeOf(answer)}: ${checked.message}`);
    const [route] = checked.value.routes;
    if (!route) throw new Error('The road router answered without a route');
    return {
      roadDistance: Math.round((route.distance / METRES_PER_MILE) * 100) / 100,
      eta: isoDurationOfMinutes(route.duration / 60),
    };
  };

/** A redirect is not followed: a server that the operator has not configured would be told where people live. */
const askOsrm = (url: URL, timeoutMs: number): Promise<{ status: number; answer: unknown }> =>
  fetch(url, { headers: { Accept: 'application/json' }, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    .then(async (response) => {
      const text = await readBoundedText(response, MAX_ANSWER_BYTES);
      const isRedirect = response.headers.has('Location');
      return { status: response.status, answer: isRedirect ? undefined : (JSON.parse(text) as unknown) };
    })
    .catch((error: unknown) => {
      throw new Error(`The road router gave no usable answer: ${failureName(error)}`);
    });

/** OSRM's reason, such as `NoRoute`. */
const codeOf = (answer: unknown): string => {
  const code: unknown = typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : undefined;
  return typeof code === 'string' && /^[A-Za-z]{1,40}$/.test(code) ? ` ${code}` : '';
};
