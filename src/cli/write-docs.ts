import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { openApiOf } from '../http/openapi.ts';
import { consoleOperationsOf } from '../tools/docs/console-operations.ts';
import { eventsPage } from '../tools/docs/events.ts';
import { operationsPage } from '../tools/docs/operations.ts';
import { deciders } from '../domain/index.ts';
import { hiring } from '../hiring/index.ts';

/** Writes a file that is made from the code. Relative to the built module. */
const write = (name: string, content: string): void =>
  writeFileSync(new URL(`../../../${name}`, import.meta.url), content);

write('docs/http-operations.md', operationsPage(hiring));
write('docs/events.md', eventsPage(deciders));

const types = await openapiTS(JSON.stringify(consoleOperationsOf(openApiOf(hiring))));
write('console/operations.ts', astToString(types));
