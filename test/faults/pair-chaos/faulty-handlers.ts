import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projections } from '../../../projections/index.ts';

/**
 * Loaded into an instance before all else (`node --import`): its handlers fail at events that say so, until a file says that
 * they are mended. That is how a deployed fix looks to a stream that is parked.
 */

/** Names the directory of those files. Elsewhere this does nothing. */
export const MENDED_DIRECTORY = 'CHAOS_MENDED';
const FAULTY = /faulty~([a-z-]+)~([a-z0-9-]+)/;

/** A text at which the handlers of one projection fail. */
export const faultyText = (projection: string, token: string): string => `faulty~${projection}~${token}`;

type Handle = (event: object, documents: object) => void;

const directory = process.env[MENDED_DIRECTORY];
if (directory !== undefined)
  for (const { name, handlers } of projections) {
    // Handlers differ in their events; what they have in common is enough here.
    const all = handlers as Record<string, Handle>;
    for (const [type, handle] of Object.entries(all))
      all[type] = (event, documents) => {
        const [, projection, token = ''] = FAULTY.exec(JSON.stringify(event)) ?? [];
        if (projection === name && !existsSync(join(directory, token)))
          throw new Error(`The handler of ${name} is faulty: ${token}`);
        handle(event, documents);
      };
  }
