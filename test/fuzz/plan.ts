import { chance, sfc32, randomInteger } from '../../src/tools/seed/random.ts';
import { createCallers, type Keys } from './callers.ts';
import { describedOperations } from './description.ts';
import { anyOf } from './draw.ts';
import { placeOf } from './minted.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateHead } from './mutate-head.ts';
import { mutateJson } from './mutate-json.ts';
import { mutateRaw } from './mutate-raw.ts';
import { rawText, withHeader, type FuzzRequest, type Turn } from './request.ts';
import { createRequests } from './requests.ts';
import { createStories } from './stories.ts';
import { createWorld } from './world.ts';

/** A stream of events has no end; what is sent as bytes opens some, since its client leaves. */
const ENDLESS = 'followProjections';
/** Builds read the whole log: a share of all requests would measure nothing else. */
const OF_BUILDS = /^(rebuild|verify|rollBack|cancel|pause|resume|retry|skip)/;
const OPEN_STORIES = 8;

/**
 * What is sent to a service, without end: the same turns for the same seed and description.
 *
 * @param document the OpenAPI description
 */
export const createPlan = (seed: number, document: unknown, keys: Keys): (() => Turn) => {
  const random = sfc32(seed, seed >>> 16, 1, 2);
  const callers = createCallers(keys);
  const world = createWorld(random);
  const described = describedOperations(document);
  const operations = described.filter(({ name }) => name !== ENDLESS);
  const ordinary = operations.filter(({ name }) => !OF_BUILDS.test(name));
  const requestTo = createRequests(random, world, callers);
  const byName = new Map(operations.map((one) => [one.name, one]));
  const newStory = createStories(random, world, byName, requestTo);
  const open = Array.from({ length: OPEN_STORIES }, () => [...newStory()]);

  const ofStory = (): FuzzRequest | undefined => {
    const place = randomInteger(random, 0, OPEN_STORIES - 1);
    const next = open[place]?.shift();
    if (!next) open[place] = [...newStory()];
    return next;
  };
  const ofAny = (): FuzzRequest =>
    requestTo(anyOf(random, chance(random, 0.98) ? ordinary : operations), world.subject());
  const valid = (): FuzzRequest => (chance(random, 0.5) ? ofStory() : undefined) ?? ofAny();

  const mutated = (request: FuzzRequest): FuzzRequest => {
    if (chance(random, 0.55)) return request;
    const schema = byName.get(request.operation)?.body;
    if (schema && chance(random, 0.6)) return { ...request, json: mutateJson(request.json, schema, random) };
    return chance(random, 0.2) ? mutateBytes(request, random) : mutateHead(request, random, callers);
  };

  /** With what is asked right after it. */
  const followed = (request: FuzzRequest): readonly FuzzRequest[] => {
    if (request.isWild) return [request];
    if (request.method === 'GET' && chance(random, 0.1))
      return [request, withHeader(request, 'If-None-Match', placeOf('etag', 'last'))];
    // A pause is taken back at once, or all reads after it would wait in vain.
    if (request.operation !== 'pauseProjection') return [request];
    const path = request.path.replace(/pause.*/, 'resume');
    return [request, { ...request, operation: 'resumeProjection', path }];
  };

  return () => {
    if (chance(random, 0.01)) return { kind: 'clock', minutes: randomInteger(random, 1, 90) };
    if (chance(random, 0.01)) return { kind: 'delivery', isFailing: chance(random, 0.3) };
    if (chance(random, 0.04)) {
      const bytes = Buffer.from(mutateRaw(rawText(valid()), random), 'latin1');
      return { kind: 'bytes', bytes, patienceMs: anyOf(random, [0, 5, 50]) };
    }
    if (chance(random, 0.03)) {
      const request = mutated(valid());
      if (byName.get(request.operation)?.takesKey && !request.isWild)
        return { kind: 'repeated', request: withHeader(request, 'Idempotency-Key', world.newKey()) };
    }
    const isTogether = chance(random, 0.05);
    const many = isTogether ? randomInteger(random, 2, 6) : 1;
    const requests = Array.from({ length: many }, () => mutated(valid())).flatMap(followed);
    return { kind: 'requests', requests, isTogether };
  };
};
