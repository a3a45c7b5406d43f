import { readFileSync } from 'node:fs';
import { setClock } from '../support/set-clock.ts';

/**
 * To be preloaded (`node --import`): the clock shows so many milliseconds beside the time as the file that CLOCK_SET_BY
 * names says now, also in threads.
 */
setClock(() => {
  try {
    return Number(readFileSync(process.env['CLOCK_SET_BY'] ?? '', 'utf8'));
  } catch {
    return 0;
  }
});
