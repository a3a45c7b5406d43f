import { applicantOf } from './candidates.ts';
import { adminUser, nameOf, officeNameOf, officeUser, professionalUser } from './people.ts';
import { layOut, type World, type WorldOptions } from './world.ts';

/** The professional whom the demo shows: the first applicant of the first posting. */
export const demoProfessional = (world: World): number => applicantOf(world, 0, 0);

/**
 * The users to act as in the world that `planWorld` plans with the same options, with the ids that bearer tokens and
 * paths name. The posting is the office's, is open, and has the most candidates of all, the professional among them; the
 * professional has saved postings too.
 */
export const demoPeople = (options: WorldOptions) => {
  const world = layOut(options);
  const number = demoProfessional(world);
  const professional = professionalUser(world, number);
  const office = officeUser(world, 0);
  const { firstName, lastName } = nameOf(world, number);
  return {
    professional: { ...professional, name: `${firstName} ${lastName}` },
    office: { ...office, name: officeNameOf(world, 0) },
    admin: adminUser(world),
    postingId: world.id('posting', 0),
  };
};
