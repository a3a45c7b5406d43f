import { useEffect, useState } from 'preact/hooks';
import { readSession, signInToDemo, type Session } from './api.ts';
import { signInErrorMessages } from '../src/console/sign-in-errors.ts';
import { errorMessageOf } from '../src/lib/error.ts';
import { readAddress, useAddress } from './address.ts';

const isKnown = (word: string): word is keyof typeof signInErrorMessages => Object.hasOwn(signInErrorMessages, word);

/** Why nobody was signed in at the issuer, by the word in the address. */
const failureInAddress = (): string | undefined => {
  const { segments, parameters } = readAddress();
  const word = parameters.get('failure') ?? '';
  return segments[0] === 'sign-in' && isKnown(word) ? signInErrorMessages[word] : undefined;
};

/** How one signs in: in the demo by a click, else at the issuer. */
export const SignIn = ({
  session,
  onSignedIn,
  isApart = false,
}: {
  readonly session: Session;
  readonly onSignedIn: (session: Session) => void;
  /** In a window of its own, since what is on this page would be lost. */
  readonly isApart?: boolean;
}) => {
  const [failure, setFailure] = useState(failureInAddress);
  const attempt = async (sign: () => Promise<Session>) => {
    try {
      const next = await sign();
      if (next.user) onSignedIn(next);
    } catch (error) {
      setFailure(errorMessageOf(error));
    }
  };
  useEffect(() => {
    if (!isApart) return;
    const look = () => void attempt(readSession);
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [isApart]);
  useAddress();
  const view = location.hash.replace(/^#\/?/, '');
  return (
    <>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {session.signIn === 'oidc' ? (
        <p>
          <a
            class="button"
            href={`sign-in?view=${encodeURIComponent(isApart ? '' : view)}`}
            target={isApart ? '_blank' : undefined}
            rel="opener"
          >
            Sign in
          </a>
          {isApart && ' It opens a window of its own; come back here then.'}
        </p>
      ) : (
        <p class="buttons">
          <button type="button" onClick={() => void attempt(() => signInToDemo('admin'))}>
            Sign in as administrator
          </button>
          <button type="button" onClick={() => void attempt(() => signInToDemo('analyst'))}>
            Sign in as analyst
          </button>
        </p>
      )}
    </>
  );
};
