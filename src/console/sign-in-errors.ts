/**
 * Why nobody was signed in, by the code in the page's address. The page shows only these sentences: a text from the
 * address could be anything that the maker of a link wants it to say.
 */
export const signInErrorMessages = {
  unavailable: 'The issuer cannot be reached now. Try again in a moment.',
  expired: 'The sign-in took too long, or was begun in another window. Sign in again.',
  refused: 'The issuer did not sign you in.',
  'no-role': 'You have neither the role admin nor the role analyst, and so may not use the console.',
} as const;

export type SignInErrorCode = keyof typeof signInErrorMessages;
