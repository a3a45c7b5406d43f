import { demoPlaintextApiKeys } from '../config/demo.ts';
import type { Config } from '../config/config.ts';
import { demoPersonasOf } from '../tools/seed/people.ts';
import { demoWorldOptions } from './seed.ts';
import { signToken } from './token.ts';

const HOURS = 24 * 7;

/** What a user of the demo needs at its start: the address, keys, tokens, and requests that work when pasted. */
export const createDemoInstructions = async (
  url: string,
  { tokens, console }: Pick<Config, 'tokens' | 'console'>,
): Promise<string> => {
  const { professional, office, admin, postingId } = demoPersonasOf(demoWorldOptions);
  const professionalToken = await signToken(
    tokens,
    { sub: professional.id, professional_id: professional.professionalId },
    HOURS,
  );
  const officeToken = await signToken(tokens, { sub: office.id, office_id: office.officeId }, HOURS);
  const adminToken = await signToken(tokens, { sub: admin.id, roles: ['admin'] }, HOURS);
  const curl = (path: string, token: string, more = '') =>
    `curl -s ${more}-H 'X-API-Key: ${demoPlaintextApiKeys.client}' -H 'Authorization: Bearer ${token}' '${url}${path}'`;

  // The first thing to look at, where it is on.
  const first = console?.kind === 'demo' ? `\nOpen the console in a browser:  ${url}/console/\n` : '';
  return `${first}
The hiring service listens on ${url}  (to read and try: ${url}/docs)
This is the demo: its keys and secrets are public. Configuration: docs/configuration.md

API key, scope client:    ${demoPlaintextApiKeys.client}
API key, scope internal:  ${demoPlaintextApiKeys.internal}

Token of the professional ${professional.name}:
${professionalToken}
Token of the office ${office.name}:
${officeToken}
Token of an administrator:
${adminToken}

The office's candidates for a posting:
${curl(`/postings/${postingId}/candidates?pageSize=2`, officeToken)}
The same for an administrator, by name:
${curl(`/admin/postings/${postingId}/candidates?sortBy=professionalName&sortOrder=asc&pageSize=2`, adminToken)}
The professional's own candidates:
${curl('/professionals/candidates?category=active&pageSize=2', professionalToken)}
The professional saves the posting:
${curl('/professionals/postings/save', professionalToken, `-H 'Content-Type: application/json' -d '{"postingId":"${postingId}"}' `)}
The professional's saved postings:
${curl('/postings/saved?pageSize=2', professionalToken)}
`;
};
