import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projections } from '../../../projections/index.ts';

/**
 * Preloaded into an instance (`node --import`): handlers fail at events with certain texts until a file says that they
 * are fixed. To a parked stream that looks like a deployed fix.
 */

/** Names the directory of those files; without it the preload does nothing. */
export const MENDED_DIRECTORY = 'CHAOS_MENDED';
const FAULTY = /faulty~([a-z-]+)~([a-z0-9-]+)/;

/** A text at which the handlers of one projection fail. */
export const faultyText = (projection: string, token: string): string => `faulty~${projection}~${token}`;

type Handle = (event: object, documents: object) => void;

const directory = process.env[MENDED_DIRECTORY];
if (directory !== undefined)
  for (const { name, handlers } of projections) {
    // Handlers differ in their events; a common type is enough here.
    const all = handlers as Record<string, Handle>;
    for (const [type, handle] of Object.entries(all))
      all[type] = (event, documents) => {
        const [, projection, token = ''] = FAULTY.exec(JSON.stringify(event)) ?? [];
        if (projection === name && !existsSync(join(directory, token)))
          throw new Error(`The handler of ${name} is faulty: ${token}`);
        handle(event, documents);
      };
  }
