import { expect } from 'chai';
import { errorCodes } from '../../src/http/edge/error-codes.ts';
import { isObject } from '../../src/schema/json.ts';
import type { Answer } from '../support/service.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The rules for every answer of the service, whatever the operation (decisions, Credentials and What else is served).
 */
export const checkRules = (method: string, { status, headers, body }: Answer): void => {
  const told = `${method} answered ${status} ${JSON.stringify(body)}`;
  expect(headers.get('X-Request-Id'), told).to.match(/^[A-Za-z0-9._-]{8,64}$/);
  expect(headers.get('X-Content-Type-Options'), told).to.equal('nosniff');
  if (status === 204) expect(headers.get('Content-Type'), told).to.equal(null);
  if (status === 204) expect(body, told).to.equal(undefined);
  const code = headers.get('Error-Code');
  const isOfList = errorCodes.some((each) => each.code === code && each.status === status);
  expect(isOfList, `${told} with the code ${code}`).to.equal(status >= 400);
  if (status < 400) return;

  expect(headers.get('Content-Type'), told).to.equal(JSON_TYPE);
  if (method !== 'HEAD') {
    expect(body, told).to.be.an('object').that.has.all.keys('error');
    expect(body, told).to.have.property('error').that.is.a('string').and.not.equal('');
  }
  if (status === 401) expect(headers.get('WWW-Authenticate'), told).to.match(/^(?:Bearer|ApiKey)\b/);
  if (status === 405) expect(headers.get('Allow'), told).to.match(/^[A-Z]+(?:, [A-Z]+)*$/);
  if (status === 429 || status === 503) expect(headers.get('Retry-After'), told).to.match(/^[1-9]\d*$/);
};

/** Expects the error object (interface specification, 2.8) with a status and a message. */
export const expectError = ({ status, body }: Answer, wanted: number, message: RegExp): void => {
  expect(status, JSON.stringify(body)).to.equal(wanted);
  expect(body).to.have.property('error').that.matches(message);
};

/** The value at a place in a body; undefined where there is none. */
export const at = (value: unknown, ...place: readonly (string | number)[]): unknown =>
  place.reduce<unknown>(
    (found, member) =>
      typeof found === 'object' && found !== null ? new Map(Object.entries(found)).get(String(member)) : undefined,
    value,
  );

/** The text at a place in a body. Fails for any other value. */
export const textAt = (value: unknown, ...place: readonly (string | number)[]): string => {
  const found = at(value, ...place);
  if (typeof found !== 'string') throw new Error(`No text at ${place.join('/')} of ${JSON.stringify(value)}`);
  return found;
};

/** The list at a place in a body. Fails for any other value. */
export const listAt = (value: unknown, ...place: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...place);
  if (!Array.isArray(found)) throw new Error(`No list at ${place.join('/')} of ${JSON.stringify(value)}`);
  return found;
};

export type Row = Readonly<Record<string, unknown>>;

/** The list of objects at a place in a body. Fails for any other value. */
export const rowsAt = (value: unknown, ...place: readonly (string | number)[]): readonly Row[] =>
  listAt(value, ...place).map((row) => {
    if (!isObject(row)) throw new Error(`Not an object: ${JSON.stringify(row)}`);
    return row;
  });
