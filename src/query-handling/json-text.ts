import { remembered } from '../lib/memoize.ts';

/** A part of an answer that is JSON already, encoded as it will be sent. */
export class JsonText {
  readonly bytes: Buffer;

  constructor(value: unknown) {
    const text = JSON.stringify(value);
    // Not from Node's pool: a text that is remembered would keep a slab of it, and all that is in it.
    this.bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    this.bytes.write(text);
  }
}

/** The function, with what it makes of an object made once, as JSON text. */
export const rememberedText = <Key extends object>(make: (key: Key) => unknown): ((key: Key) => JsonText) =>
  remembered((key) => new JsonText(make(key)));

/** Not in a part of Node's pool, for the same reason: answers are remembered. */
const joined = (parts: readonly Buffer[]): Buffer => {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) end += part.copy(whole, end);
  return whole;
};

const COMMA = Buffer.from(',');

const isTexts = (value: unknown): value is readonly JsonText[] =>
  Array.isArray(value) && value.length > 0 && value.every((entry) => entry instanceof JsonText);

/** JSON of an object, among whose members may be lists of texts: these are not made anew for every answer. */
export const toJson = (body: object): Buffer => {
  const parts: Buffer[] = [];
  let pending = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    pending += `${pending === '{' ? '' : ','}${JSON.stringify(name)}:`;
    if (!isTexts(value)) {
      pending += JSON.stringify(value);
      continue;
    }
    parts.push(Buffer.from(`${pending}[`));
    for (const [index, { bytes }] of value.entries()) parts.push(...(index === 0 ? [] : [COMMA]), bytes);
    pending = ']';
  }
  parts.push(Buffer.from(`${pending}}`));
  return joined(parts);
};
