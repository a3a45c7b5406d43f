import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

/**
 * To be preloaded (`node --import`): appends a line to the file that TIMERS_FILE names for each callback of a timer
 * that the service or one of its packages has set, with the thread and the place; not for those of Node.js.
 */
const file = process.env['TIMERS_FILE'] ?? '';
const places = new Map<number, string>();
createHook({
  init(id, type) {
    if (type !== 'Timeout') return;
    const frames = new Error().stack?.split('\n').slice(2) ?? [];
    const place = frames.find((frame) => frame.includes('/') && !frame.includes('node:'));
    if (place !== undefined) places.set(id, place.trim());
  },
  before(id) {
    const place = places.get(id);
    if (place !== undefined) appendFileSync(file, `${threadId} ${place}\n`);
  },
  destroy(id) {
    places.delete(id);
  },
}).enable();
