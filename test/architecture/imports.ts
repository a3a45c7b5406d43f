import { dirname, join } from 'node:path/posix';
import ts from 'typescript';

/** One file's use of another, by their paths in the project. */
export interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether the import is erased at compile time. */
  readonly isOnlyTypes: boolean;
}

/** The project's sources by path. */
export type Sources = ReadonlyMap<string, string>;

interface Found {
  readonly specifier: string;
  readonly isOnlyTypes: boolean;
}

const onlyTypes = (clause: ts.ImportClause | undefined): boolean => {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { namedBindings, name } = clause;
  return (
    !name &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
  );
};

/** A worker's script is named by a URL. */
const isUrl = (node: ts.Node): node is ts.NewExpression =>
  ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'URL';

const foundAt = (node: ts.Node): Found | undefined => {
  const found = (specifier: ts.Node | undefined, isOnlyTypes: boolean): Found | undefined =>
    specifier && ts.isStringLiteralLike(specifier) ? { specifier: specifier.text, isOnlyTypes } : undefined;
  if (ts.isImportDeclaration(node)) return found(node.moduleSpecifier, onlyTypes(node.importClause));
  if (ts.isExportDeclaration(node)) return found(node.moduleSpecifier, node.isTypeOnly);
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? found(node.argument.literal, true) : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return found(node.arguments[0], false);
  if (ts.isExternalModuleReference(node)) return found(node.expression, false);
  if (isUrl(node)) return found(node.arguments?.[0], false);
  return undefined;
};

const findIn = (source: string): readonly Found[] => {
  const all: Found[] = [];
  const visit = (node: ts.Node): void => {
    const found = foundAt(node);
    if (found) all.push(found);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.ESNext));
  return all;
};

/** By the text of a source: each planted breach changes one of hundreds. */
const known = new Map<string, readonly Found[]>();
const foundIn = (source: string): readonly Found[] => {
  const found = known.get(source) ?? findIn(source);
  known.set(source, found);
  return found;
};

/** What every source imports: statically, dynamically, as a type, or as a worker's script. */
export const importsOf = (sources: Sources): Import[] =>
  [...sources].flatMap(([from, source]) =>
    foundIn(source).flatMap(({ specifier, isOnlyTypes }) => {
      const to = join(dirname(from), specifier).replace(/\.js$/, '.ts');
      return sources.has(to) ? [{ from, to, isOnlyTypes }] : [];
    }),
  );

/** Rotates a cycle so that it begins at its alphabetically first file. */
const fromItsFirst = (circle: readonly string[]): string[] => {
  const first = circle.toSorted()[0] ?? '';
  const start = circle.indexOf(first);
  return [...circle.slice(start), ...circle.slice(0, start), first];
};

/** The import cycles, one for each file that closes one. */
export const cyclesOf = (imports: readonly Import[]): string[][] => {
  const next = new Map<string, Import[]>();
  for (const one of imports) next.set(one.from, [...(next.get(one.from) ?? []), one]);
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) {
      cycles.push(fromItsFirst(way.slice(way.indexOf(file))));
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
};
