import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { startDemo } from './demo.js';

// Sends the requests of requests.http with httpyac, in order, to the demo as it is shipped, by way of Prism.

const pathOf = (path) => join(import.meta.dirname, path);
const demo = await startDemo();
const { base, service, directory } = demo;
after(demo.stop);
let inPrinted = demo.printedFrom();
/** What /openapi.json does not describe. */
const UNDESCRIBED = /\{\{base\}\}(?=\/(?:health\/|metrics|openapi\.json|docs))/g;
const text = readFileSync(pathOf('../../requests.http'), 'utf8').replace(UNDESCRIBED, service);
const [variables = '', ...requests] = text.split(/^###/m);

/** Variables that a user puts in, by name. */
const values = new Map();
/** Each with the member of an answer that it is. */
const toPutIn = Array.from(variables.matchAll(/^@(\w+) = (\w+)-of-the-(?:answer|log)$/gm), ([, ...each]) => each);

const send = async (texts) => {
  const [file, answers] = [join(directory, 'requests.http'), join(directory, 'answers.json')];
  const set = variables.replace(/^@(\w+) = .*$/gm, (line, name) =>
    values.has(name) ? `@${name} = ${values.get(name)}` : line,
  );
  writeFileSync(file, [set, ...texts].join('###'));
  // Not a pipe: httpyac ends before all of a long output has gone through one.
  const output = openSync(answers, 'w');
  const options = ['--all', '--json', '--output', 'body'];
  const httpyac = [pathOf('node_modules/httpyac/bin/httpyac.js'), 'send', file, ...options];
  const sender = spawn(process.execPath, httpyac, { cwd: directory, stdio: ['ignore', output, 'inherit'] });
  await once(sender, 'exit');
  closeSync(output);
  return JSON.parse(readFileSync(answers, 'utf8')).requests;
};

/** Does what a user does who reads an answer and the log. */
const putInFrom = async (body) => {
  const answer = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : {};
  for (const [name, member] of toPutIn) if (Object.hasOwn(answer, member)) values.set(name, answer[member]);
  const isCodeSent = Object.hasOwn(answer, 'codeId') || Object.hasOwn(answer, 'flowId');
  if (isCodeSent) values.set('code', await inPrinted(/"text":"[^"]*\b(\d{6})\b/));
};

test('Each request of requests.http is answered as it says', { timeout: 300_000 }, async (t) => {
  values.set('base', base);
  const left = requests.filter((text) => !/^# @skip/m.test(text));
  while (left.length > 0) {
    const next = left.findIndex((text, index) => index > 0 && toPutIn.some(([name]) => text.includes(`{{${name}}}`)));
    const texts = left.splice(0, next < 0 ? left.length : next);
    inPrinted = demo.printedFrom();
    const sent = await send(texts);
    for (const [index, text] of texts.entries())
      await t.test(text.split('\n', 1)[0], () => {
        const { statusCode, body } = sent[index]?.response ?? {};
        const [, status = '2xx'] = /^# @expect (\d+)/m.exec(text) ?? [];
        assert.match(String(statusCode), new RegExp(`^${status.replace('xx', '..')}$`), String(body));
      });
    await putInFrom(sent.at(-1)?.response?.body);
  }
});
