import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import { createAsset, sendAsset, type Asset } from './asset.ts';
import type { State } from './context.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Hiring service</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="docs"></div>
  <script src="/docs/swagger-ui-bundle.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', validatorUrl: null, deepLinking: true });\n`;

/** The browser is told to load nothing from elsewhere; Swagger UI sets styles in line and its icons are data URLs. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

export type DocsAssets = ReadonlyMap<string, Asset>;

/** The page and what it loads, by path: from the package and from no other host. */
export const readDocsAssets = async (): Promise<DocsAssets> => {
  // The package's own way to tell its folder runs all of its scripts.
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const ofPackage = (name: string) => readFile(join(folder, name));
  return new Map([
    ['/docs', await createAsset('text/html', PAGE)],
    ['/docs/start.js', await createAsset('text/javascript', START)],
    ['/docs/swagger-ui.css', await createAsset('text/css', await ofPackage('swagger-ui.css'))],
    [
      '/docs/swagger-ui-bundle.js',
      await createAsset('text/javascript', await ofPackage('swagger-ui-bundle.js')),
    ],
  ]);
};

/** `/docs`: the OpenAPI description to read and to try. */
export const docsPage = (assets: DocsAssets): Router<State> => {
  const router = new Router<State>();
  for (const [path, asset] of assets)
    router.get(path, (ctx) => {
      ctx.set('Content-Security-Policy', POLICY);
      ctx.set('Cache-Control', 'public, max-age=3600');
      sendAsset(ctx, asset);
    });
  return router;
};
