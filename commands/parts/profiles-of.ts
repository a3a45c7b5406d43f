import type { CommandContext } from '../../src/command-handling/command.ts';
import { professional, type Profile } from '../../src/domain/professional.ts';
import { user } from '../../src/domain/user.ts';

/**
 * The profiles that name a user now, newest first: each professional in the user's stream is checked by its profile.
 */
export const profilesOf = async (
  userId: string,
  { load }: Pick<CommandContext, 'load'>,
): Promise<Profile[]> => {
  const { professionals } = (await load(user, userId)).state;
  const loaded = await Promise.all(professionals.map((id) => load(professional, id)));
  return loaded.flatMap(({ state: { profile } }) => (profile?.userId === userId ? [profile] : [])).reverse();
};
