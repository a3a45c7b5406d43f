import { inspect } from 'node:util';
import { Type, type Static, type TSchema } from '../../src/schema/typebox.ts';
import { parse } from '../../src/schema/parse.ts';

const Message = Type.Object({ request: Type.Unknown() });

/** The child's side of `bench/processes/child.ts`: answers each request until the parent disconnects. */
export const answerParent = <S extends TSchema>(schema: S, answer: (request: Static<S>) => Promise<unknown>): void => {
  const respond = async (message: unknown) => {
    try {
      const { request } = parse(Message, message, 'message');
      return { reply: await answer(parse(schema, request, 'request')) };
    } catch (error) {
      return { error: inspect(error) };
    }
  };
  process.on('message', (message) => {
    void respond(message).then((answered) => process.send?.(answered));
  });
  // The parent is gone, or has no further requests.
  process.once('disconnect', () => process.exit(0));
};
