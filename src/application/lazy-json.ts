import { memoizeByIdentity } from '../lib/memoize-by-identity.ts';

/** A part of an answer, encoded once. */
export class LazyJson<Value = unknown> {
  readonly value: () => Value;
  #bytes: Buffer | undefined;

  constructor(value: () => Value) {
    this.value = value;
  }

  get bytes(): Buffer {
    if (this.#bytes) return this.#bytes;
    const text = JSON.stringify(this.value());
    // Not from Node's pool: a cached text would keep its whole slab in memory.
    this.#bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    this.#bytes.write(text);
    return this.#bytes;
  }
}

/** An object, in which the rows of any list may be encoded. */
export type WithLazyJson<Body> = {
  readonly [Name in keyof Body]:
    Body[Name] | (Body[Name] extends readonly (infer Row)[] ? readonly LazyJson<Row>[] : never);
};

/** Memoizes a function, with its result as JSON text. */
export const memoizeLazyJson = <Key extends object, Value>(
  make: (key: Key) => Value,
): ((key: Key) => LazyJson<Value>) => memoizeByIdentity((key) => new LazyJson(() => make(key)));

/** Not from Node's pool either, since answers are cached. */
const concatUnpooled = (parts: readonly Buffer[]): Buffer => {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) end += part.copy(whole, end);
  return whole;
};

const COMMA = Buffer.from(',');

const isJsonTextList = (value: unknown): value is readonly LazyJson[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => entry instanceof LazyJson);

/** A body as its JSON says it, for those who do not send it. */
export const unwrapLazyJson = (body: object): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]: readonly [string, unknown]) => [
      name,
      isJsonTextList(value) ? value.map((text) => text.value()) : value,
    ]),
  );

/** The JSON of an object; lists of LazyJson in it are copied, not encoded again. */
export const encodeJsonBody = (body: object): Buffer => {
  const parts: Buffer[] = [];
  let pending = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    pending += `${pending === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!isJsonTextList(value)) {
      pending += JSON.stringify(value);
      continue;
    }
    parts.push(Buffer.from(`${pending}[`));
    for (const [index, { bytes }] of value.entries()) parts.push(...(index === 0 ? [] : [COMMA]), bytes);
    pending = ']';
  }
  parts.push(Buffer.from(`${pending}}`));
  return concatUnpooled(parts);
};
