import { expect } from 'chai';
import { errorCodes } from '../../src/http/edge/error-codes.ts';
import type { Answer } from '../support/service.ts';
import { createJudge } from './judge.ts';
import type { FuzzRequest } from './request.ts';

const document = {
  paths: {
    '/things/{id}': {
      put: { operationId: 'putThing', responses: { 204: {}, 400: errorObject(), 503: errorObject() } },
    },
  },
};

function errorObject() {
  const schema = {
    type: 'object',
    properties: { error: { type: 'string' } },
    required: ['error'],
    additionalProperties: false,
  };
  return { content: { 'application/json': { schema } } };
}

const request: FuzzRequest = { operation: 'putThing', method: 'PUT', path: '/things/1', query: [], headers: [] };

const answer = (status: number, error?: string, more: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: new Headers({
    'X-Request-Id': 'request-1',
    'X-Content-Type-Options': 'nosniff',
    ...(error !== undefined && {
      'Content-Type': 'application/json; charset=utf-8',
      'Error-Code': errorCodes.find((each) => each.status === status)?.code ?? '',
    }),
    ...more,
  }),
  body: error === undefined ? undefined : { error },
});
const retry = { 'Retry-After': '1' };
const appended = (type: string) => [{ position: '1', type, requestId: 'request-1' }];

describe("The fuzz suite's judge", () => {
  it('finds nothing in an answer as described', () => {
    expect(createJudge(document).ofAnswer(request, answer(204))).to.equal(undefined);
    expect(createJudge(document).ofAnswer(request, answer(400, 'No'))).to.equal(undefined);
  });

  it('finds a status that is not described', () => {
    expect(createJudge(document).ofAnswer(request, answer(409, 'No'))).to.match(/not documented/);
  });

  it('finds an error without the error object, and an answer without a common header', () => {
    const { ofAnswer } = createJudge(document);
    expect(ofAnswer(request, answer(400))).to.match(/answered 400/);
    expect(ofAnswer(request, answer(204, undefined, { 'X-Content-Type-Options': '' }))).to.match(/nosniff/);
  });

  it('finds a 503 that is not decided, and lets a decided one be', () => {
    const { ofAnswer } = createJudge(document);
    expect(ofAnswer(request, answer(503, 'Nothing can be stored now', retry))).to.match(/^503/);
    expect(ofAnswer(request, answer(503, 'The read models are being built', retry))).to.equal(undefined);
  });

  it('finds a 500 of a request whose path was mutated', () => {
    expect(createJudge(document).ofAnswer({ ...request, isWild: true }, answer(500, 'Internal error'))).to.equal(
      '500 Internal error',
    );
  });

  it('finds an event of a refused request, but for attempts at a code and acts of operators', () => {
    const judge = createJudge(document);
    judge.ofAnswer(request, answer(400, 'No'));
    expect(judge.ofEvents(appended('PostingSaved'))).to.deep.equal([
      'a refused request left PostingSaved (request request-1)',
    ]);
    expect(judge.ofEvents(appended('CodeRefused'))).to.deep.equal([]);
  });

  it('lets an event be whose request succeeded', () => {
    const judge = createJudge(document);
    judge.ofAnswer(request, answer(204));
    expect(judge.ofEvents(appended('PostingSaved'))).to.deep.equal([]);
  });

  it('finds another answer to a repeated request', () => {
    const { ofRepeated } = createJudge(document);
    expect(ofRepeated(answer(204), answer(204))).to.equal(undefined);
    expect(ofRepeated(answer(204), answer(400, 'No'))).to.match(/was answered 400/);
  });

  it('finds a 500 among bytes', () => {
    const { ofHead } = createJudge(document);
    expect(ofHead('HTTP/1.1 400 Bad Request\r\nContent-Length: 0')).to.equal(undefined);
    expect(ofHead('HTTP/1.1 500 Internal Server Error')).to.match(/500/);
  });
});
