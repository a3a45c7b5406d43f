import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { anchorsOf, readFile, root } from '../support/project.ts';

const FOLDERS = ['src', 'commands', 'queries', 'projections', 'test', 'bench'];
/** Not checked: its own citations are wrong on purpose. */
const THIS_FILE = 'test/docs/citations.test.ts';

const SPECIFICATION = 'docs/specification/interface.md';
const DECISIONS = 'docs/specification/decisions.md';
const BEHAVIOUR = 'docs/behaviour.md';

const CITED_SECTIONS = /\b[Ii]nterface specification,? (\d+(?:\.\d+)*(?:(?:, | and )\d+(?:\.\d+)*)*)/g;
const CITED_DECISIONS =
  /(?<!\w)(?:docs\/(behaviour)\.md|(?:docs\/specification\/)?[Dd]ecisions(?:\.md)?), (?=[A-Z\d])/g;
const CITED_ADRS = /\bADRs? (\d+(?:(?:, | and )\d+)*)/g;
const NAMED_PAGES = /(?<![\w/.-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g;
/** Longer than any citation of several decisions. */
const MAX_LENGTH = 200;

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
).filter((path) => path.endsWith('.ts') && !path.includes('node_modules') && path !== THIS_FILE);

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([whole, found = whole]) => found);

/** Numbers and words of a page's headings, and the bold words that begin a paragraph or a list entry. */
const namesIn = (path: string): string[] => {
  const page = readFile(path);
  return [
    ...matches(page, /^#{2,} (\d+(?:\.\d+)*)/gm),
    ...matches(page, /^#{2,} (?:[\d.]+ )?(.+)$/gm),
    ...matches(page, /^(?:- )?\*\*(.+?)\*\*/gm),
  ];
};
const sections = namesIn(SPECIFICATION);
const decisions = namesIn(DECISIONS);
const behaviour = namesIn(BEHAVIOUR);
const adrs = readdirSync(join(root, 'docs/adr'));

/** A citation may span the lines of a comment: joins them, without their comment markers. */
const inOneLine = (source: string): string => source.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g, ' ');

const numbersIn = (list: string): string[] => list.split(/, | and /);

const beginsWith = (text: string, name: string): boolean =>
  text.startsWith(name) && !/^(?:\w|\.\d)/.test(text.slice(name.length));

/** The first unknown name in a list of cited names that begins a text. */
const unknownNamesIn = (text: string, names: readonly string[]): string[] => {
  const name = names.find((one) => beginsWith(text, one));
  if (name === undefined) return [(/^(?:\d[\d.]*\d|[^.,;:)*]+)/.exec(text)?.[0] ?? text).trim()];
  const [between] = /^(?:,| and) (?=[A-Z\d])/.exec(text.slice(name.length)) ?? [];
  return between === undefined ? [] : unknownNamesIn(text.slice(name.length + between.length), names);
};

const wrongSectionsIn = (text: string): string[] =>
  matches(text, CITED_SECTIONS)
    .flatMap(numbersIn)
    .filter((number) => !sections.includes(number))
    .map((number) => `interface specification, ${number}`);

const wrongDecisionsIn = (text: string): string[] =>
  [...text.matchAll(CITED_DECISIONS)].flatMap(({ 0: found, 1: isBehaviour, index }) => {
    const start = index + found.length;
    const names = isBehaviour === undefined ? decisions : behaviour;
    return unknownNamesIn(text.slice(start, start + MAX_LENGTH), names).map((name) => `${found}${name}`);
  });

const wrongAdrsIn = (text: string): string[] =>
  matches(text, CITED_ADRS)
    .flatMap(numbersIn)
    .filter((number) => !adrs.some((name) => name.startsWith(`${number.padStart(4, '0')}-`)))
    .map((number) => `ADR ${number}`);

const wrongPagesIn = (text: string): string[] =>
  matches(text, NAMED_PAGES).filter((named) => {
    const [path = '', anchor] = named.split('#');
    if (!existsSync(join(root, path))) return true;
    return anchor !== undefined && !anchorsOf(readFile(path)).includes(anchor);
  });

/** The citations in a source that lead nowhere, in comments and in strings: the OpenAPI description cites too. */
const wrongCitationsIn = (source: string): string[] => {
  const text = inOneLine(source);
  return [wrongSectionsIn, wrongDecisionsIn, wrongAdrsIn, wrongPagesIn].flatMap((wrongIn) => wrongIn(text));
};

describe('The citations in the code', () => {
  it('lead to what is there', () => {
    expect(sources).to.include.members(['src/domain/candidate.ts', 'bench/requests.ts']);
    const wrong = sources.flatMap((path) => wrongCitationsIn(readFile(path)).map((citation) => `${path}: ${citation}`));
    expect(wrong).to.deep.equal([]);
  });

  for (const [source, wrong] of [
    ['/** All of them (interface specification, 4.11). */', 'interface specification, 4.11'],
    ['/**\n * As in the interface specification, 4.2 and\n * 10. */', 'interface specification, 10'],
    ['/**\n * How it moves (decisions, Candidate\n * stages). */', 'decisions, Candidate stages'],
    ['// Decisions, 4.12: no more of them.', 'Decisions, 4.12'],
    ['// By decisions, Credentials and What\n// is hidden.', 'decisions, What is hidden'],
    ['/** As the product has it (docs/behaviour.md, Onboarding). */', 'docs/behaviour.md, Onboarding'],
    ['// Why: ADRs 17 and 9999.', 'ADR 9999'],
    ['/** See docs/nowhere.md. */', 'docs/nowhere.md'],
    ['/** See docs/behaviour.md#nowhere. */', 'docs/behaviour.md#nowhere'],
  ] as const)
    it(`are reported when they are wrong: ${wrong}`, () => {
      expect(wrongCitationsIn(source)).to.deep.equal([wrong]);
    });

  it('are not reported when they are right', () => {
    const source = `/**
       * Moves of a candidate (interface specification, 2.1, 2.2 and
       * 3; decisions, Candidate states, and how they came about).
       * More: docs/behaviour.md, Sizes; docs/specification/decisions.md#candidate-states,
       * decisions, Values and Where fields
       * come from; ADR 17.
       */`;
    expect(wrongCitationsIn(source)).to.deep.equal([]);
  });
});
