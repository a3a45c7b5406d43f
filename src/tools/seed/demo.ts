import { layOut, type WorldOptions } from './layout.ts';
import { officeNameOf } from './offices.ts';
import { nameOf } from './professionals.ts';
import { adminUser } from './users.ts';
import { demoProfessional } from './world.ts';

/** The users to act as in a seeded world, with the ids that bearer tokens and paths name. */
export interface DemoPeople {
  /** Has candidates, and saved postings. */
  readonly professional: { readonly userId: string; readonly professionalId: string; readonly name: string };
  /** Owns the posting. */
  readonly office: { readonly userId: string; readonly officeId: string; readonly name: string };
  readonly admin: { readonly userId: string };
  /** Open, with the most candidates of all; the professional is one of them. */
  readonly postingId: string;
}

/** The people of the world that `planWorld` plans with the same options. @throws RangeError as `planWorld` does */
export const demoPeople = (options: WorldOptions): DemoPeople => {
  const world = layOut(options);
  const professional = demoProfessional(world);
  const { firstName, lastName } = nameOf(world, professional);
  return {
    professional: {
      userId: world.id('user', professional),
      professionalId: world.id('professional', professional),
      name: `${firstName} ${lastName}`,
    },
    office: {
      userId: world.id('officeUser', 0),
      officeId: world.id('office', 0),
      name: officeNameOf(world, 0),
    },
    admin: { userId: adminUser(world).id },
    postingId: world.id('posting', 0),
  };
};
