import { writeFileSync } from 'node:fs';
import { eventsPage } from '../tools/docs/events.ts';
import { operationsPage } from '../tools/docs/operations.ts';
import { deciders } from '../domain/index.ts';
import { hiring } from '../hiring/index.ts';

/** Writes a page of `docs/` that is made from the code. Relative to the built module. */
const write = (name: string, page: string): void => {
  const file = new URL(`../../../docs/${name}`, import.meta.url);
  writeFileSync(file, page);
};

write('http-operations.md', operationsPage(hiring));
write('events.md', eventsPage(deciders));
