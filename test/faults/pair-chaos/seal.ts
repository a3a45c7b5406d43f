import { chanceOf } from '../../support/seeded.ts';
import type { Instance } from './instance.ts';
import type { Ledger } from './ledger.ts';
import { startWork } from './work.ts';
import { professionalBody, userOf, type World } from './world.ts';

/**
 * A write after all others, in a stream without poison events: no parked stream delays reads that carry its token.
 *
 * @returns the token
 */
export const seal = async (
  world: World,
  number: number,
  instances: readonly Instance[],
  ledger: Ledger,
): Promise<string> => {
  const id = `${world.run}-seal-${number}`;
  const body = professionalBody(id, 'Seal', chanceOf(number));
  const write = {
    name: id,
    method: 'PUT',
    path: `/internal/professionals/${id}`,
    body,
    marks: [
      { stream: `user-${userOf(id)}`, type: 'UserNamedByProfessional', data: {} },
      { stream: `professional-${id}`, type: 'ProfessionalRecorded', data: { lastName: body.lastName } },
    ],
    pauseMs: 0,
    via: 0,
    isTwice: false,
  } as const;
  const work = startWork([{ name: id, writes: [write], mayBeRefused: false }], instances, ledger);
  await work.done;
  return work.token();
};
