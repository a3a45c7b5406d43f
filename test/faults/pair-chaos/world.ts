import type { Chance } from '../../support/seeded.ts';
import { bodies } from '../../support/examples.ts';

/** The offices, postings and professionals of one run; no other run has their ids. */
export interface World {
  readonly run: string;
  readonly offices: readonly string[];
  readonly postings: readonly { readonly id: string; readonly office: string }[];
  readonly professionals: readonly string[];
}

const OFFICES = 2;
const POSTINGS = 3;
const PROFESSIONALS = 6;

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, number) => `${name}-${number}`);

export const worldOf = (seed: number, chance: Chance): World => {
  const run = `r${seed}`;
  const offices = numbered(OFFICES, `${run}-office`);
  return {
    run,
    offices,
    postings: numbered(POSTINGS, `${run}-posting`).map((id) => ({ id, office: chance.oneOf(offices) })),
    professionals: numbered(PROFESSIONALS, `${run}-professional`),
  };
};

export const userOf = (professional: string): string => `${professional}-user`;

export type Claims = Readonly<Record<string, unknown>>;
export const claimsOf = (professional: string): Claims => ({
  sub: userOf(professional),
  professional_id: professional,
});
export const adminClaims: Claims = { sub: 'chaos-admin', roles: ['admin'] };

/** About 20 to 300 miles by road from the offices, so that a move changes the counts of the summaries. */
const places = [
  { latitude: 30.5083, longitude: -97.6789 },
  { latitude: 29.4241, longitude: -98.4936 },
  { latitude: 31.5493, longitude: -97.1467 },
  { latitude: 32.7767, longitude: -96.797 },
] as const;

export const officeBody = (officeName: string, chance: Chance) => {
  const { latitude, longitude } = chance.oneOf(places);
  const [address] = bodies.office.address;
  return {
    ...bodies.office,
    officeName,
    address: [{ ...address, latitude: String(latitude), longitude: String(longitude) }],
  };
};

export const postingBody = (title: string, officeId: string) => ({ ...bodies.posting, officeId, title });

export const professionalBody = (professional: string, lastName: string, chance: Chance) => ({
  ...bodies.professional,
  userId: userOf(professional),
  lastName,
  ...chance.oneOf(places),
});
