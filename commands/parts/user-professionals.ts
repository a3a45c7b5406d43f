import type { CommandContext } from '../../src/application/command.ts';
import { professionalDecider, type ProfessionalState, type Profile } from '../../src/domain/professional.ts';
import { userDecider } from '../../src/domain/user.ts';

type StateLoader = Pick<CommandContext, 'load'>;
type KnownProfessional = ProfessionalState & { readonly profile: Profile };

/** The professionals whose profiles name the user now, newest first; the user's stream may hold others too. */
export const loadProfessionalsOfUser = async (userId: string, { load }: StateLoader): Promise<KnownProfessional[]> => {
  const { professionals } = (await load(userDecider, userId)).state;
  const loaded = await Promise.all(professionals.map((id) => load(professionalDecider, id)));
  return loaded
    .flatMap(({ state: { profile, ...more } }) => (profile?.userId === userId ? [{ profile, ...more }] : []))
    .reverse();
};

/** Of several profiles, the newest with a mail address gets the user's mail (docs/behaviour.md). */
export const newestEmailOf = (professionals: readonly KnownProfessional[]): string | undefined =>
  professionals.find(({ profile }) => profile.email)?.profile.email ?? undefined;
