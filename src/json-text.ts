/** A part of an answer that is JSON already. */
export class JsonText {
  readonly text: string;

  constructor(value: unknown) {
    this.text = JSON.stringify(value);
  }
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value) && value.length > 0 && value.every((entry) => entry instanceof JsonText))
    return `[${value.map(({ text }) => text).join(',')}]`;
  return JSON.stringify(value);
};

/** JSON of an object, among whose members may be lists of texts: these are not made anew for every answer. */
export const toJson = (body: object): string =>
  `{${Object.entries(body)
    .flatMap(([name, value]) => (value === undefined ? [] : `${JSON.stringify(name)}:${textOf(value)}`))
    .join(',')}}`;
