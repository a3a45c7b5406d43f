import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { build, context } from 'esbuild';

/**
 * Puts compiled modules into few files, as loading one takes long: ARCHITECTURE.md, What runs. `--watch`: at each
 * change.
 */

const common = { bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' };

/** Modules that hand on one package each: bundled, they have the package's own modules in them. */
const PACKAGES = ['schema/typebox', 'schema/ajv', 'domain/libphonenumber', 'telemetry/api'];

/**
 * Of worker threads and child processes. Listed from the sources: `dist` keeps what was compiled from files that are no
 * more.
 */
const modules = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:thread|process)\.ts$/.test(path))
  .map((path) => path.replace(/\.ts$/, ''));

await build({
  ...common,
  entryPoints: PACKAGES.map((path) => `dist/src/${path}.js`),
  outdir: 'dist/src',
  outbase: 'dist/src',
  allowOverwrite: true,
});

/** DuckDB's client, which has 181 files, is loaded by `require`. */
await build({
  ...common,
  format: 'cjs',
  entryPoints: ['dist/src/history/warehouse/duckdb-client.cjs'],
  outfile: 'dist/bin/duckdb-client.cjs',
  external: ['@duckdb/node-bindings'],
});

/** These load native code or files of their own; EventStoreDB's and MongoDB's are for servers alone. */
const OUTSIDE = ['@eventstore/db-client', '@swc/wasm-typescript', 'libsql', 'mongodb'];
/** What CommonJS packages load modules of Node.js with. */
const REQUIRE = `import { createRequire as requireIn } from 'node:module'; const require = requireIn(import.meta.url);`;

/** `dist/bin` is not emptied: a service that runs may load files of an earlier build yet. */
const hiring = {
  ...common,
  entryPoints: ['cli/hiring', ...modules].map((path) => `dist/src/${path}.js`),
  outdir: 'dist/bin',
  entryNames: '[name]',
  splitting: true,
  external: OUTSIDE,
  banner: { js: REQUIRE },
  sourcemap: true,
  sourcesContent: false,
};
const { COLOR_CSS } = await import('./dist/src/history/report/style.js');
/**
 * The console's page: files that are named by their content, so that browsers keep them for ever, and what loads them.
 */
const { metafile } = await build({
  entryPoints: ['console/main.tsx', 'console/style.css'],
  outdir: 'dist/bin/console',
  entryNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  banner: { css: COLOR_CSS },
  metafile: true,
  logLevel: 'warning',
});
const page = Object.keys(metafile.outputs)
  .map((path) => path.replace('dist/bin/console/', './'))
  .reduce(
    (html, name) => html.replace(name.replace(/-[A-Z0-9]{8}(?=\.)/, ''), name),
    readFileSync('console/index.html', 'utf8'),
  );
writeFileSync('dist/bin/console/index.html', page);

if (argv.includes('--watch')) await (await context(hiring)).watch();
else await build(hiring);
