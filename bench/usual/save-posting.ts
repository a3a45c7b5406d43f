import { createHash } from 'node:crypto';
import type Router from '@koa/router';
import createError from 'http-errors';
import bodyParser from 'koa-bodyparser';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { professionalOf, type State } from './authenticate.ts';
import type { Database } from './database.ts';
import { selectValue } from './statements.ts';
import { validator } from './validate.ts';

const Body = Type.Object({ postingId: Type.String({ pattern: '^[\\w.~-]{1,128}$' }) }, { additionalProperties: false });
const bodyOf = validator('body', Body);

interface Answer {
  readonly postingId: string;
  readonly isSaved: true;
  readonly savedAt: string;
}

const KEPT_MS = 24 * 3_600_000;

/** Makes the function that saves a posting by one insert, unless it is saved already; it gives when that was. */
const savingOn = ({ connection, table }: Database) => {
  const isKnown = selectValue<number>(
    connection,
    `SELECT 1 FROM ${table('saved_postings_postings')} WHERE id = ? AND document ->> 'facts' IS NOT NULL`,
  );
  const savedAtOf = selectValue<string>(
    connection,
    'SELECT savedAt FROM saves WHERE professionalId = ? AND postingId = ?',
  );
  const insert = connection.prepare(
    'INSERT INTO saves (professionalId, postingId, savedAt, savedBy) VALUES (?, ?, ?, ?)',
  );
  return (state: State, { postingId }: Static<typeof Body>): Answer => {
    const professionalId = professionalOf(state);
    if (isKnown(postingId) === undefined) throw createError(404, 'No posting has the id in body/postingId');
    let savedAt = savedAtOf(professionalId, postingId);
    if (savedAt === undefined) {
      savedAt = new Date().toISOString();
      insert.run([professionalId, postingId, savedAt, state.user.sub]);
    }
    return { postingId, isSaved: true, savedAt };
  };
};

/** Makes the function that does once what comes under an Idempotency-Key, and answers the same each time. */
const onceByKeyOn = ({ connection }: Database) => {
  const keyed = connection.prepare(
    'SELECT request, answer FROM idempotency_keys WHERE userId = ? AND key = ? AND expiresAt > ?',
  );
  const keep = connection.prepare(
    'INSERT OR REPLACE INTO idempotency_keys (userId, key, request, answer, expiresAt) VALUES (?, ?, ?, ?, ?)',
  );
  return ({ user }: State, key: string, body: unknown, act: () => Answer): Answer => {
    if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw createError(400, 'The Idempotency-Key is not valid');
    const request = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
    const now = new Date();
    const kept = keyed.get([user.sub, key, now.toISOString()]) as
      { readonly request: string; readonly answer: string } | undefined;
    if (kept && kept.request !== request) throw createError(422, 'The Idempotency-Key was used with another request');
    if (kept) return JSON.parse(kept.answer) as Answer;
    const answer = act();
    const expiresAt = new Date(now.getTime() + KEPT_MS).toISOString();
    keep.run([user.sub, key, request, JSON.stringify(answer), expiresAt]);
    return answer;
  };
};

/** The command that saves a posting. What it stores is on disk when it is answered. */
export const addSavePosting = (router: Router<State>, database: Database): void => {
  const save = savingOn(database);
  const onceByKey = onceByKeyOn(database);
  const inTransaction = database.connection.transaction((act: () => Answer) => act());

  const parse = bodyParser({
    onerror: () => {
      throw createError(400, 'body must be valid JSON');
    },
  });
  router.post('/professionals/postings/save', parse, (ctx) => {
    const body = bodyOf(ctx.request.body);
    const key = ctx.get('Idempotency-Key');
    const act = () => save(ctx.state, body);
    ctx.body = inTransaction(key === '' ? act : () => onceByKey(ctx.state, key, body, act));
  });
};
