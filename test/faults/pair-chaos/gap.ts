import { until } from './until.ts';
import { projectionsTold } from './admin.ts';
import { eventOf } from './event-log.ts';
import type { Scene } from './faults.ts';
import { professionalBody } from './world.ts';
import { chanceOf } from '../../support/seeded.ts';

const PASSED_WITHIN_MS = 5_000;

/**
 * Leaves the projections' positions on events of another service, which a scavenge removes while no instance runs, and
 * right behind them an event of this service.
 */
export const leaveGap = async (events: number, scene: Scene): Promise<void> => {
  const { stage, story, work, ledger, run } = scene;
  const { instances, log } = stage;
  await work.hold();
  const among = await log.foreign(events, { isShortLived: true });
  const isPassed = async () => {
    for (const instance of instances) {
      const told = await projectionsTold(instance);
      const served = told?.flatMap(({ live, builds }) => builds.filter(({ id }) => id === live)) ?? [];
      // Positions lag behind the other service's events.
      if (served.length > 0 && served.every(({ position }) => position !== null && position > among)) return true;
    }
    return false;
  };
  const hasFollowed = await until('the positions follow', isPassed, PASSED_WITHIN_MS).then(
    () => true,
    () => false,
  );
  story.tell(`${events} events of another service are written, which it does not keep`);
  if (hasFollowed) story.tell('the positions have followed to among them');
  await Promise.all(instances.map(({ kill }) => kill()));
  const id = `${run}-behind-the-gap`;
  const data = { professionalId: id, ...professionalBody(id, 'Lee', chanceOf(1)) };
  await log.append(`professional-${id}`, -1, [eventOf('ProfessionalRecorded', data)]);
  ledger.acknowledged({
    marks: [{ stream: `professional-${id}`, type: 'ProfessionalRecorded', data: { lastName: 'Lee' } }],
  });
  await log.foreign(1, { isShortLived: true });
  const isOver = await log.scavenge();
  story.tell(`all instances are killed, and a scavenge is ${isOver ? 'over' : 'begun'}`);
  await Promise.all(instances.map(({ start }) => start()));
  story.tell('all instances run again');
  work.goOn();
};
