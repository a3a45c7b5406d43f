import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createAsset, sendAsset } from './asset.ts';
import type { SegmentRouter } from './segment-router.ts';

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

/** Loads nothing from other hosts; Swagger UI needs inline styles and data URLs for icons. */
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/** A file of the npm package, read for the first client that asks. */
const ofPackage = (name: string) => (): Promise<Buffer> =>
  // The package's own function for its folder would run all of its scripts.
  readFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));

const assets = {
  '/docs': createAsset('text/html', () => PAGE),
  '/docs/start.js': createAsset('text/javascript', () => START),
  '/docs/swagger-ui.css': createAsset('text/css', ofPackage('swagger-ui.css')),
  '/docs/swagger-ui-bundle.js': createAsset('text/javascript', ofPackage('swagger-ui-bundle.js')),
};

/** `/docs`: Swagger UI with the OpenAPI description. */
export const addDocsPage = (table: SegmentRouter): void => {
  for (const [path, asset] of Object.entries(assets))
    table.add('GET', path, async (ctx) => {
      await sendAsset(ctx, asset, 'public, max-age=3600');
      ctx.set('Content-Security-Policy', POLICY);
    });
};
