import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { Type } from '../../src/schema/typebox.ts';
import { answerParent } from './answering.ts';
import { listening } from './listening.ts';

/**
 * The baseline: Koa as its own documentation sets it up, without credentials, checks, log or metrics. A read answers
 * the bytes that the service has answered; a command parses its body and answers 204.
 */
const Answers = Type.Object({
  /** Paths as @koa/router takes them. */
  reads: Type.Array(Type.String()),
  commands: Type.Array(Type.String()),
  /** What to answer, by `Authorization` and URL. */
  answers: Type.Array(Type.Object({ key: Type.String(), body: Type.String() })),
});

answerParent(Answers, ({ reads, commands, answers }) => {
  const bodies = new Map(answers.map(({ key, body }) => [key, Buffer.from(body)]));
  const router = new Router();
  for (const path of reads)
    router.get(path, (ctx) => {
      const body = bodies.get(`${ctx.get('Authorization')} ${ctx.url}`);
      if (!body) return;
      ctx.type = 'application/json';
      ctx.body = body;
    });
  for (const path of commands)
    router.post(path, (ctx) => {
      if (ctx.request.body !== undefined) ctx.status = 204;
    });
  const app = new Koa();
  if (commands.length > 0) app.use(bodyParser());
  app.use(router.routes());
  return listening(app);
});
