import { checkRules } from '../http/answer-rules.ts';
import { createAnswerCheck, UNDESCRIBED } from '../http/openapi-check.ts';
import type { Answer } from '../support/service.ts';
import { targetOf, type FuzzRequest } from './request.ts';
import type { AppendedEvent } from './service-child.ts';

/** The 503s that are decided: none of them stands for a failure inside. */
const DECIDED = [
  /^The read models have not reached the (?:Consistency-Token|last change) yet$/,
  /^The projection \S+ is paused and has not reached the (?:Consistency-Token|last change)$/,
  /^The read models are being built$/,
  /^The warehouse is being brought up to date: /,
  /^The code could not be delivered$/,
  /^Another request with the same Idempotency-Key is under way$/,
  /^Too many requests change the same resource at once$/,
];

/** Types of event that a refused request may leave: attempts at a code, and acts of operators. */
const OF_REFUSED = ['CodeRequested', 'CodeIssued', 'CodeDeliveryFailed', 'CodeRefused', 'OperatorActed'];

const errorOf = ({ body }: Answer): string =>
  typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : '';

/** Says what is wrong with answers and events; each function gives undefined where nothing is. */
export const createJudge = (document: unknown) => {
  const checkAnswer = createAnswerCheck(document, UNDESCRIBED);
  /** The statuses of the answers with a request id; a client may choose the same id again. */
  const statuses = new Map<string, number[]>();

  return {
    ofAnswer: (request: FuzzRequest, answer: Answer): string | undefined => {
      const { method, isWild } = request;
      const id = answer.headers.get('X-Request-Id') ?? '';
      statuses.set(id, [...(statuses.get(id) ?? []), answer.status]);
      try {
        checkRules(method, answer);
        if (!isWild) checkAnswer(method, targetOf(request), answer);
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
      if (answer.status < 500) return undefined;
      const told = errorOf(answer);
      // An answer to HEAD does not tell why.
      const isDecided = method === 'HEAD' || DECIDED.some((decided) => decided.test(told));
      return answer.status === 503 && isDecided ? undefined : `${answer.status} ${told}`;
    },
    /** The answer to the same request under the same Idempotency-Key. */
    ofRepeated: (first: Answer, second: Answer): string | undefined =>
      first.status >= 300 ||
      (first.status === second.status && JSON.stringify(first.body) === JSON.stringify(second.body))
        ? undefined
        : `the same request again was answered ${second.status} ${JSON.stringify(second.body)}, and not as ` +
          `the first: ${first.status} ${JSON.stringify(first.body)}`,
    /** Of a request that could be no HTTP: the head of the first answer, if one came. */
    ofHead: (head: string): string | undefined =>
      head === '' || /^HTTP\/1\.1 [1-4]\d\d /.test(head) || /^HTTP\/1\.1 50[35] /.test(head) ? undefined : head,
    /** Events that a refused request has left. */
    ofEvents: (events: readonly AppendedEvent[]): readonly string[] =>
      events
        .filter(({ type, requestId }) => {
          const of = statuses.get(requestId);
          return of && !OF_REFUSED.includes(type) && of.every((status) => status >= 400);
        })
        .map(({ type, requestId }) => `a refused request left ${type} (request ${requestId})`),
    /** Once all events of the requests so far were judged. */
    forget: () => statuses.clear(),
  };
};
export type Judge = ReturnType<typeof createJudge>;
