import { writeFileSync } from 'node:fs';
import { openApiOf } from '../http/openapi.ts';
import { consoleTypesOf } from '../tools/docs/console-operations.ts';
import { eventsPage } from '../tools/docs/events.ts';
import { operationsPage } from '../tools/docs/operations.ts';
import { deciders } from '../domain/index.ts';
import { hiring } from '../hiring/index.ts';

/** Writes a file that is made from the code. Relative to the built module. */
const write = (name: string, content: string): void =>
  writeFileSync(new URL(`../../../${name}`, import.meta.url), content);

write('docs/http-operations.md', operationsPage(hiring));
write('docs/events.md', eventsPage(deciders));

write('console/operations.ts', await consoleTypesOf(openApiOf(hiring)));
