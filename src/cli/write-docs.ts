import { writeFileSync } from 'node:fs';
import { commands } from '../../commands/index.ts';
import { queries } from '../../queries/index.ts';
import { historyQuestions } from '../history/operations/index.ts';
import { adminInterface } from '../http/admin-interface.ts';
import { eventsPage } from '../tools/docs/events.ts';
import { operationsPage } from '../tools/docs/operations.ts';
import { deciders } from '../domain/index.ts';

/** Writes a page of `docs/` that is made from the code. Relative to the built module. */
const write = (name: string, page: string): void => {
  const file = new URL(`../../../docs/${name}`, import.meta.url);
  writeFileSync(file, page);
};

write('http-operations.md', operationsPage(commands, queries, adminInterface, historyQuestions));
write('events.md', eventsPage(deciders));
