import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hiring } from '../../src/hiring/index.ts';
import { openApiOf } from '../../src/http/openapi.ts';
import { root } from '../support/project.ts';
import { factsOf, released } from './openapi-facts.ts';

// Run at a release: later descriptions have to keep what that of the release says.
const facts = factsOf(openApiOf(hiring));
const lines = Array.from(facts, ([name, words]) => `${[name, ...words].join(' ')}\n`);
writeFileSync(join(root, released), lines.join(''));
