import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from './api.ts';

/** Who is signed in. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether this user may change something here; the server decides it again. */
export const useMayChange = (): boolean => {
  const session = useContext(SessionContext);
  return session?.mode === 'on' && session.user?.isAdmin === true;
};

export const useIsAdmin = (): boolean => useContext(SessionContext)?.user?.isAdmin === true;
