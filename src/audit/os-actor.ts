import { userInfo } from 'node:os';

/** The user of the operating system that runs this process, as an actor: no user id holds a colon. */
export const osActor = (): string => {
  try {
    return `os:${userInfo().username}`;
  } catch {
    // A container may run as a user without a name.
    return `os:${process.getuid?.() ?? 'unknown'}`;
  }
};
