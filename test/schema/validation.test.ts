import { expect } from 'chai';
import { hiring } from '../../src/hiring/index.ts';
import { isObject } from '../../src/schema/json.ts';
import { MAX_ENTRIES, PERSONAL_KEYWORD } from '../../src/schema/schema.ts';
import { Type, type TSchema } from '../../src/schema/typebox.ts';
import { createValidator } from '../../src/schema/validation.ts';

const { commands, queries, admin, questions } = hiring;

/** The schemas of all that clients send. */
const requestSchemas: readonly TSchema[] = [
  ...[...commands, ...admin.operations].flatMap(({ params, body }) => [params, body]),
  ...admin.operations.flatMap(({ parameters }) => parameters ?? []),
  ...questions.flatMap(({ body }) => body ?? []),
  ...[...queries, ...questions].flatMap(({ params, parameters }) => [params, parameters]),
];

/** A schema and all within it. */
const within = (schema: unknown): Readonly<Record<string, unknown>>[] => {
  if (!isObject(schema)) return [];
  const { properties, items } = schema;
  const inner = [...(isObject(properties) ? Object.values(properties) : []), items];
  return [schema, ...inner.flatMap(within)];
};

describe('What a schema refuses', () => {
  /** By keyword. */
  const faults: Readonly<Record<string, readonly [schema: TSchema, value: unknown, message: string]>> = {
    additionalProperties: [
      Type.Object({}, { additionalProperties: false }),
      { x: 1 },
      "it must not have the member 'x'",
    ],
    const: [Type.Literal('x'), 'y', 'it must be "x"'],
    enum: [Type.Enum(['x', 'y']), 'z', 'it must be one of x, y'],
    maximum: [Type.Integer({ maximum: 5 }), 6, 'it must be <= 5'],
    maxItems: [Type.Array(Type.Integer(), { maxItems: 1 }), [1, 2], 'it must have at most 1 entry'],
    maxLength: [Type.String({ maxLength: 2 }), 'xyz', 'it must have at most 2 characters'],
    minimum: [Type.Integer({ minimum: 5 }), 4, 'it must be >= 5'],
    minItems: [Type.Array(Type.Integer(), { minItems: 2 }), [1], 'it must have at least 2 entries'],
    minLength: [Type.String({ minLength: 1 }), '', 'it must have at least 1 character'],
    pattern: [Type.String({ pattern: '^x$', says: 'must be x' }), 'y', 'it must be x'],
    required: [Type.Object({ x: Type.String() }), {}, 'it/x is required'],
    type: [Type.Unsafe({ type: ['integer', 'null'] }), 'x', 'it must be an integer or null'],
    uniqueItems: [Type.Array(Type.Integer(), { uniqueItems: true }), [1, 1], 'it must not hold the same entry twice'],
  };
  for (const [keyword, [schema, value, message]] of Object.entries(faults))
    it(`by ${keyword} is told in words of our own`, () =>
      expect(createValidator(schema, 'it')(value)).to.include({ ok: false, message }));

  const ANNOTATIONS = [
    'default',
    'description',
    'examples',
    'format',
    'items',
    'properties',
    'says',
    'title',
    PERSONAL_KEYWORD,
  ];

  it('is of no other keyword in requests, whose patterns say what they mean', () => {
    const found = requestSchemas.flatMap(within);
    const keywords = new Set(found.flatMap((schema) => Object.keys(schema)));
    expect([...Object.keys(faults), ...ANNOTATIONS]).to.include.members([...keywords]);
    expect(found.filter((schema) => 'pattern' in schema && !('says' in schema))).to.deep.equal([]);
  });

  it('is at most a list of so many entries as are looked at of a body', () => {
    const lists = requestSchemas.flatMap(within).filter(({ type }) => [type].flat().includes('array'));
    expect(lists.map(({ maxItems }) => Number(maxItems) <= MAX_ENTRIES)).to.not.include(false);
  });

  it('is named up to five times, each place once', () => {
    const schema = Type.Object({ a: Type.String({ maxLength: 1, pattern: '^x$', says: 'must be x' }) });
    expect(createValidator(schema, 'it')({ a: 'yy' })).to.include({ message: 'it/a must have at most 1 character' });
    const many = Type.Array(Type.String());
    const message = [0, 1, 2, 3, 4].map((index) => `it/${index} must be a string`).join('; ');
    expect(createValidator(many, 'it')([1, 2, 3, 4, 5, 6])).to.deep.equal({ ok: false, message, field: '/items' });
  });
});
