import type { CommandContext } from '../../src/application/command.ts';
import { professional, type ProfessionalState, type Profile } from '../../src/domain/professional.ts';
import { user } from '../../src/domain/user.ts';

type Loading = Pick<CommandContext, 'load'>;
type Known = ProfessionalState & { readonly profile: Profile };

/** The professionals whose profiles name the user now, newest first; the user's stream may hold others too. */
export const professionalsOf = async (userId: string, { load }: Loading): Promise<Known[]> => {
  const { professionals } = (await load(user, userId)).state;
  const loaded = await Promise.all(professionals.map((id) => load(professional, id)));
  return loaded
    .flatMap(({ state: { profile, ...more } }) => (profile?.userId === userId ? [{ profile, ...more }] : []))
    .reverse();
};

/** Of several profiles, the newest with a mail address gets the user's mail (docs/behaviour.md). */
export const newestEmailOf = (professionals: readonly Known[]): string | undefined =>
  professionals.find(({ profile }) => profile.email)?.profile.email ?? undefined;
