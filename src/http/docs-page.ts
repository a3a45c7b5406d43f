import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
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

/** `/docs`: the OpenAPI description to read and to try, with assets from the package and from no other host. */
export const docsPage = (): Router<State> => {
  const router = new Router<State>();
  // The package's own way to tell its folder runs all of its scripts.
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const serve = (path: string, type: string, content: () => Promise<string | Buffer>) => {
    router.get(path, async (ctx) => {
      ctx.set('Content-Security-Policy', POLICY);
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.type = type;
      ctx.body = await content();
    });
  };
  serve('/docs', 'text/html', () => Promise.resolve(PAGE));
  serve('/docs/start.js', 'text/javascript', () => Promise.resolve(START));
  serve('/docs/swagger-ui.css', 'text/css', () => readFile(join(assets, 'swagger-ui.css')));
  serve('/docs/swagger-ui-bundle.js', 'text/javascript', () =>
    readFile(join(assets, 'swagger-ui-bundle.js')),
  );
  return router;
};
