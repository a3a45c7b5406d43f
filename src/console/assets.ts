import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { createAsset, sendAsset } from '../http/asset.ts';
import type { RouteStep, SegmentRouter } from '../http/segment-router.ts';

/** The page runs its own files, talks to its own origin, and is in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = 'index.html';
/** The name says the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Serves the page and its files, as they are at the start: a build that comes later may name files that this process
 * does not know.
 *
 * @returns their paths
 */
export const addConsoleAssets = (table: SegmentRouter): readonly string[] => {
  // What the build has made of the folder `console`: the page, and files whose names have a hash.
  const root = new URL('.', import.meta.resolve(`#console/${PAGE}`));
  const html = readFileSync(new URL(PAGE, root), 'utf8');
  const page = createAsset('text/html', () => html);
  const sendPage: RouteStep = async (ctx) => {
    // Both paths are one route. Relative, since a proxy may have a path before it.
    if (ctx.path === '/console') {
      ctx.status = 301;
      ctx.set('Location', 'console/');
      return;
    }
    await sendAsset(ctx, page, 'no-cache');
    ctx.set('Content-Security-Policy', POLICY);
  };
  table.add('GET', '/console', sendPage);
  const files = readdirSync(root).filter((name) => /-[A-Z0-9]{8}\.\w+$/.test(name));
  for (const name of files) {
    const file = createAsset(extname(name), () => readFile(new URL(name, root)));
    table.add('GET', `/console/${name}`, (ctx) => sendAsset(ctx, file, FOR_EVER));
  }
  return ['/console', '/console/', ...files.map((name) => `/console/${name}`)];
};
