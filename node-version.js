import { exit, stderr, versions } from 'node:process';

/**
 * Ends with one line on a Node.js older than `engines` in package.json says. It comes before what such a one may not
 * load, so it is no TypeScript, and its syntax is old.
 */
const [major, minor] = versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stderr.write(`hiring: Node.js 20.19 or newer is needed, and this is ${versions.node}\n`);
  exit(2);
}
