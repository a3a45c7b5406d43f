/**
 * Why nobody was signed in, by the word that the address of the page has. The page shows the sentence: showing what an
 * address holds, it would let anyone who makes a link put words into its mouth.
 */
export const signInErrorMessages = {
  unavailable: 'The issuer cannot be reached now. Try again in a moment.',
  expired: 'The sign-in took too long, or was begun in another window. Sign in again.',
  refused: 'The issuer did not sign you in.',
  'no-role': 'You have neither the role admin nor the role analyst, and so may not use the console.',
} as const;

export type SignInErrorCode = keyof typeof signInErrorMessages;
