import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { projections } from '../../projections/index.ts';
import { hiring } from '../../src/hiring/index.ts';
import { openApiOf } from '../../src/http/openapi.ts';
import { exampleValues } from '../../src/http/openapi-examples.ts';
import { consoleTypesOf } from '../../src/tools/docs/console-operations.ts';
import { eventsPage } from '../../src/tools/docs/events.ts';
import { operationsPage } from '../../src/tools/docs/operations.ts';
import { schemaRowsOf, typeText } from '../../src/tools/docs/schema-rows.ts';
import { deciders, eventDefinitions } from '../../src/domain/index.ts';
import { Profile } from '../../src/domain/professional.ts';
import { isObject } from '../../src/schema/json.ts';
import { memberPathOf } from '../../src/read-models/mongodb/documents.ts';
import { Identifier, list, nullable, text, Timestamp } from '../../src/schema/schema.ts';
import { OnboardingStatus } from '../../src/schema/vocabulary.ts';
import { listAt } from '../http/answer-rules.ts';
import { objectAt, operationsOf } from '../http/openapi-check.ts';
import { anchorsOf, readFile, root } from '../support/project.ts';
import { variablesAsked } from '../config/environments.ts';

const { commands, queries, admin, questions } = hiring;

const allOperations = [
  ...commands,
  ...queries.map(({ path }) => ({ method: 'GET', path })),
  ...admin.operations,
  { method: 'GET', path: admin.events.path },
  ...questions.map(({ method = 'GET', path }) => ({ method, path })),
];

const inFolder = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const pages = [...inFolder('.'), ...inFolder('docs'), ...inFolder('docs/adr'), ...inFolder('docs/specification')];

const matches = (content: string, pattern: RegExp): string[] =>
  [...content.matchAll(pattern)].map(([, found = '']) => found);

/** Relative links of a page that lead nowhere, anchors included. */
const brokenLinksOf = (path: string): string[] =>
  matches(readFile(path), /\]\((?!https?:)([^)\s]+)\)/g).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchorsOf(readFile(target)).includes(anchor);
  });

const missingFilesOf = (path: string): string[] =>
  matches(readFile(path), /`((?:src|test|commands|queries|projections)\/[\w./-]*)`/g).filter(
    (name) => !existsSync(join(root, name)),
  );

const firstCells = (page: string) =>
  matches(page, /^\| *(`[^|]+`) *\|/gm).flatMap((cell) => matches(cell, /`([^`]+)`/g));

describe('The generated pages', () => {
  for (const [name, page] of [
    ['http-operations.md', operationsPage(hiring)],
    ['events.md', eventsPage(deciders)],
  ] as const)
    it(`docs/${name} is what npm run docs writes`, () => {
      expect(readFile(`docs/${name}`)).to.equal(page);
    });

  it('have a row for every operation', () => {
    expect(matches(readFile('docs/http-operations.md'), /^\| `\w+` \| `([A-Z]+ .+?)` \|/gm)).to.deep.equal(
      allOperations.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
    );
  });

  it('tell who may call an operation and what it alone refuses', () => {
    expect(readFile('docs/http-operations.md').split('\n')).to.include(
      '| `applyToPosting` | `POST /postings/{postingId}/candidates` | a user with a professional_id | `not-found`, `posting-closed` |',
    );
  });

  it('have a section for every kind of event', () => {
    expect(matches(readFile('docs/events.md'), /^### (.+)$/gm)).to.deep.equal(eventDefinitions.map(({ type }) => type));
  });
});

describe('A schema in words', () => {
  for (const [schema, words] of [
    [Identifier, 'identifier'],
    [nullable(Timestamp), 'timestamp, or null'],
    [text(200, { minLength: 1 }), 'text, 1 to 200 characters'],
    [nullable(text()), 'text, at most 200 characters, or null'],
    [list(Identifier), 'list of identifier, at most 200 entries'],
    [
      nullable(OnboardingStatus),
      'invited, started, profile_completed, credentials_submitted, verified, rejected, suspended, or null',
    ],
  ] as const)
    it(`is: ${words}`, () => {
      expect(typeText(schema)).to.equal(words);
    });

  it('tells of each member whose personal data it is', () => {
    const [userId, firstName] = schemaRowsOf(Profile);
    expect(userId).to.deep.equal({ name: 'userId', type: 'identifier', notes: '', personal: undefined });
    expect(firstName?.personal).to.deep.equal({ subject: 'userId', kind: 'firstName' });
  });

  it('tells of the members within, which are as personal as what they lie in', () => {
    const event = eventDefinitions.find(({ type }) => type === 'CommuteMeasured');
    const latitude = schemaRowsOf(event?.data).find(({ name }) => name === 'from.latitude');
    expect(latitude?.personal).to.deep.equal({ subject: 'professionalId', kind: 'place' });
  });
});

describe('The types of the console', () => {
  it('are what npm run docs writes from the description', async () => {
    expect(readFile('console/operations.ts')).to.equal(await consoleTypesOf(openApiOf(hiring)));
  }).timeout(30_000);
});

describe('The documentation', () => {
  for (const path of pages) {
    it(`has no link that leads nowhere: ${path}`, () => {
      expect(brokenLinksOf(path)).to.deep.equal([]);
    });

    it(`names no file that is not there: ${path}`, () => {
      expect(missingFilesOf(path)).to.deep.equal([]);
    });
  }

  it('lists every question about the history', () => {
    const page = readFile('docs/history.md');
    const paths = questions.map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
    expect(paths.filter((path) => !page.includes(`${path}\``))).to.deep.equal([]);
  });

  it('lists every variable that the configuration reads', () => {
    expect(firstCells(readFile('docs/configuration.md'))).to.have.members([...variablesAsked()]);
  });

  it('tells the shard key of every collection that has a partition of its own', () => {
    const rows = matches(readFile('docs/operating.md'), /^\| *(`\w+` *\| *`[\w-]+` *\| *`\w+` *\| *`\w+`) *\|$/gm);
    const expected = projections.flatMap(({ name, collections }) =>
      collections
        .map((collection) => {
          const { partition } = collection;
          return [collection.name, name, partition, memberPathOf(collection, partition)];
        })
        .filter(([, , , key]) => key !== '_id'),
    );
    expect(rows.map((row) => matches(row, /`([\w-]+)`/g))).to.deep.equal(expected);
  });

  it('has a reason for every dependency', () => {
    const manifest: unknown = JSON.parse(readFile('package.json'));
    const names = ['dependencies', 'devDependencies'].flatMap((kind) => {
      const members: unknown = isObject(manifest) ? manifest[kind] : undefined;
      return isObject(members) ? Object.keys(members) : [];
    });
    expect(names).to.have.length.above(20);
    expect(firstCells(readFile('docs/dependencies.md'))).to.include.members(names);
  });

  describe('in requests.http', () => {
    const [head = '', ...texts] = readFile('requests.http').split(/^###/m);
    const variables = new Map([...head.matchAll(/^@(\w+) = (.+)$/gm)].map(([, name = '', value]) => [name, value]));
    const valueOf = (name: string): string => {
      const value = variables.get(name) ?? '';
      return /-of-the-(?:answer|log)$/.test(value) ? String(exampleValues[name]) : value;
    };
    const requests = texts.map((text) => {
      const [top = '', body] = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => valueOf(name)).split('\n\n');
      const [, method, url = ''] = /^([A-Z]+) (http\S+)$/m.exec(top) ?? [];
      return { method, url: new URL(url), body: body?.trim() ? (JSON.parse(body) as unknown) : undefined };
    });

    it('has no variable without a value: REST Client takes the next line for it', () => {
      expect(head).not.to.match(/^@\w+ *= *$/m);
    });

    for (const { method, template, operation } of operationsOf(openApiOf(hiring)))
      it(`has the example of ${method} ${template}`, () => {
        const examples = new Map(
          listAt(operation, 'parameters').map((parameter) => {
            const { name, example, schema } = objectAt(parameter);
            return [name, example ?? listAt(schema, 'examples')[0]];
          }),
        );
        const path = template.replace(/\{(\w+)\}/g, (_, name: string) => String(examples.get(name)));
        const found = requests.filter((request) => request.method === method && request.url.pathname === path);
        expect(found, `requests.http has no request of ${path}`).to.not.be.empty;
        for (const [name, value] of found.flatMap(({ url }) => [...url.searchParams]))
          expect(value, name).to.equal(String(examples.get(name)));
        const body =
          'requestBody' in operation
            ? objectAt(operation, 'requestBody', 'content', 'application/json')['example']
            : undefined;
        expect(found.map((request) => request.body)).to.deep.include(body);
      });
  });

  it('names a test for everything that it says of consistency', () => {
    const [, consistency = ''] = readFile('docs/behaviour.md').split('\n## Consistency\n');
    const [promised = ''] = consistency.split('\n### What is not promised\n');
    const statements = promised.split(/\n(?=- |#|\n)/).filter((part) => part.startsWith('- '));
    expect(statements).to.have.length.above(40);
    expect(statements.filter((statement) => !/`test\/[^`]+`/.test(statement))).to.deep.equal([]);
  });

  it('lists every ADR in its index', () => {
    const files = inFolder('docs/adr').map((path) => path.replace('docs/adr/', ''));
    const listed = matches(readFile('docs/adr/README.md'), /\]\((\d{4}-[\w-]+\.md)\)/g);
    expect(listed).to.deep.equal(files.filter((name) => name !== 'README.md').sort());
  });
});
