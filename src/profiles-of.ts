import type { CommandContext } from './command.ts';
import { professional, type Profile } from './domain/professional.ts';
import { user } from './domain/user.ts';

/** The profiles that name a user now, the newest first. What the user's stream remembers is checked with the profiles. */
export const profilesOf = async (
  userId: string,
  { load }: Pick<CommandContext, 'load'>,
): Promise<Profile[]> => {
  const { professionals } = (await load(user, userId)).state;
  const loaded = await Promise.all(professionals.map((id) => load(professional, id)));
  return loaded.flatMap(({ state: { profile } }) => (profile?.userId === userId ? [profile] : [])).reverse();
};
