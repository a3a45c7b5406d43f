import { setTimeout as delay } from 'node:timers/promises';
import type { JSONEventData } from '@eventstore/db-client';
import { allSettled } from './all-settled.ts';
import { projectionsTold, request } from './admin.ts';
import { eventOf } from './event-log.ts';
import { killHolder, type Scene } from './faults.ts';
import { until } from './until.ts';
import type { Act, Faulty, HandMade, PoisonPlan, Spoiled } from './poison-plan.ts';

const CONFLICT = 409;
const AWAY_MS = 200;
const [PARKED_WITHIN_MS, LOOK_MS] = [8_000, 250];

/** What operators have done about poison events. */
export interface PoisonRecord {
  /** `<projection> <stream>` of each retry that was accepted after the handler was fixed, and so must succeed. */
  readonly retried: Set<string>;
}

const made = ({ type, data, poison }: HandMade): JSONEventData => {
  const good = eventOf(type, data);
  switch (poison) {
    case undefined:
      return good;
    case 'shape':
      return eventOf(type, { isOf: 'another shape' });
    case 'newer':
      return { ...good, metadata: { ...(good.metadata as object), schemaVersion: 99 } };
    case 'bare':
      return { ...good, metadata: undefined };
  }
};

/** Makes an operator's request, which the service may refuse or not answer; gives whether it was accepted. */
const operate = async (
  { act, projection, by, via }: Act,
  stream: string,
  { stage, story }: Scene,
): Promise<boolean> => {
  const instance = stage.instances[via];
  if (!instance) throw new Error(`There is no instance ${via}`);
  if (by === 'cli') {
    // The CLI exits with 1 where streams stay parked, and with 2 where it cannot act.
    const { code, stderr } = await stage.run('projections', act, projection, stream);
    story.tell(`hiring projections ${act} ${projection} ${stream}: ${String(code)} ${stderr.slice(0, 200)}`);
    return false;
  }
  const answer = await request(instance, act, projection, { stream });
  const how = answer === undefined ? 'no answer' : answer.isDone ? 'accepted' : answer.reply.status;
  story.tell(`${act} of ${stream} in ${projection} at instance ${via}: ${how}`);
  if (answer && !answer.isDone && answer.reply.status < 500 && answer.reply.status !== CONFLICT)
    throw new Error(`${act} is refused: ${answer.reply.status} ${JSON.stringify(answer.reply.body)}`);
  return answer?.isDone === true;
};

/** The same; where the plan says so, the projection's lease holder is killed meanwhile. */
const operateUnderFire = async (act: Act, stream: string, scene: Scene): Promise<boolean> => {
  if (act.hit === undefined) return operate(act, stream, scene);
  const killing = killHolder(act.projection, act.hit, AWAY_MS, scene);
  const isAccepted = await operate(act, stream, scene);
  await killing;
  return isAccepted;
};

const actOn = (acts: readonly Act[], stream: string, scene: Scene, accepted: (askedAt: number) => void) =>
  acts.map(async (act) => {
    await delay(act.afterMs);
    const askedAt = scene.story.now();
    if (await operateUnderFire(act, stream, scene)) accepted(askedAt);
  });

/** Waits until an instance reports a stream as parked; false after a time, as no instance may be applying events. */
const isSeenParked = (projection: string, stream: string, { stage }: Scene): Promise<boolean> => {
  const isIt = async () => {
    for (const instance of stage.instances) {
      const told = instance.isPaused() ? undefined : await projectionsTold(instance);
      if (!told) continue;
      return told.some(
        ({ name, builds }) =>
          name === projection && builds.some(({ quarantined }) => quarantined.some((each) => each.stream === stream)),
      );
    }
    return false;
  };
  return until('a stream is parked', isIt, PARKED_WITHIN_MS, LOOK_MS).then(
    () => true,
    () => false,
  );
};

const beFaulty = async (each: Faulty, scene: Scene, { retried }: PoisonRecord): Promise<void> => {
  const { token, projection, stream, write, mendedAfterMs, acts } = each;
  await scene.work.isAcknowledged(write);
  const isParked = await isSeenParked(projection, stream, scene);
  scene.story.tell(`${stream} has an event at which ${projection} is faulty; it is ${isParked ? '' : 'not '}parked`);
  let mendedAt = Infinity;
  const mend = async () => {
    await delay(mendedAfterMs);
    await scene.stage.mend(token);
    mendedAt = scene.story.now();
    scene.story.tell(`${token} is mended, for ${stream} in ${projection}`);
  };
  await allSettled([
    mend(),
    ...actOn(acts, stream, scene, (askedAt) => {
      if (askedAt > mendedAt) retried.add(`${projection} ${stream}`);
    }),
  ]);
};

const spoil = async ({ stream, events, atMs, betweenMs, acts }: Spoiled, scene: Scene): Promise<void> => {
  await delay(atMs);
  const write = async () => {
    for (const [index, event] of events.entries()) {
      await scene.stage.log.append(stream, index - 1, [made(event)]);
      await delay(betweenMs);
    }
    const kinds = events.flatMap(({ poison }) => poison ?? []);
    scene.story.tell(`${stream} is written, with poison: ${kinds.join(', ')}`);
  };
  await allSettled([write(), ...actOn(acts, stream, scene, () => undefined)]);
};

/** Resolves when the plan's poison events are written and fixed, and all requests about them are answered. */
export const performPoison = async (
  { faulty, spoiled }: PoisonPlan,
  scene: Scene,
  record: PoisonRecord,
): Promise<void> => {
  await allSettled([
    ...faulty.map((each) => beFaulty(each, scene, record)),
    ...spoiled.map((each) => spoil(each, scene)),
  ]);
};
