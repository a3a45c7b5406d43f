import { isObject } from '../../src/schema/json.ts';
import { chance, type Random } from '../../src/tools/seed/random.ts';
import type { Callers } from './callers.ts';
import type { DescribedOperation } from './description.ts';
import { placeOf } from './minted.ts';
import { withHeader, type FuzzRequest, type Pair } from './request.ts';
import { valueOf } from './values.ts';
import type { Subject, World } from './world.ts';

/** A parameter with which an answer has no end. */
const ENDLESS = 'follow';
/** Acts of an office on its postings. */
const ACTS_OF_OFFICES = ['getPostingCandidates', 'changeCandidate', 'postReview'];

const callerOf = (
  { template, name }: DescribedOperation,
  { posting, person }: Subject,
  callers: Callers,
): readonly Pair[] => {
  if (template.startsWith('/internal/')) return callers.internal;
  if (template.startsWith('/admin/')) return callers.admin;
  if (template.startsWith('/history/')) return callers.analyst;
  return ACTS_OF_OFFICES.includes(name) ? callers.office(posting.officeId) : callers.professional(person);
};

/** Members of a body that belong together; a schema alone does not tell it. */
const agreeing = (name: string, { posting, person, specialty }: Subject): object => {
  switch (name) {
    case 'recordPosting':
      return { officeId: posting.officeId };
    case 'recordProfessional':
      return { userId: person.userId, email: person.mail };
    case 'recordSpecialty':
      return { procedures: specialty.procedures.map((id) => ({ id, name: `Name of ${id}` })) };
    default:
      return {};
  }
};

/** Valid requests to an operation, by its description. */
export const createRequests = (random: Random, world: World, callers: Callers) => {
  const drawing = { random, named: world.named };

  /** Conditional and waiting reads, and writes under a key. */
  const withExtras = (request: FuzzRequest): FuzzRequest => {
    if (request.method !== 'GET')
      return chance(random, 0.3) ? withHeader(request, 'Idempotency-Key', world.newKey()) : request;
    const waiting = chance(random, 0.3)
      ? withHeader(request, 'Consistency-Token', placeOf('consistency', 'last'))
      : request;
    return chance(random, 0.3) ? withHeader(waiting, 'If-None-Match', placeOf('etag', 'last')) : waiting;
  };

  return (operation: DescribedOperation, subject: Subject, unknown?: number): FuzzRequest => {
    const body = operation.body && valueOf(operation.body, drawing);
    return withExtras({
      operation: operation.name,
      method: operation.method,
      path: world.pathOf(operation.template, subject, unknown),
      query: operation.query
        .filter(({ name }) => name !== ENDLESS)
        .filter(({ isRequired }) => isRequired || chance(random, 0.5))
        .flatMap(({ name, schema }) =>
          [valueOf(schema, drawing, name)].flat().map((value): Pair => [name, String(value)]),
        ),
      headers: callerOf(operation, subject, callers),
      ...(operation.body ? { json: isObject(body) ? { ...body, ...agreeing(operation.name, subject) } : body } : {}),
    });
  };
};
export type Requests = ReturnType<typeof createRequests>;
