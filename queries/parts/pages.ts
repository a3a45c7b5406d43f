import { Type } from '../../src/schema/typebox.ts';
import { object, PageNumber } from '../../src/schema/schema.ts';

/** The parameters of every list (decisions, Lists). */
export const pageParameterSchemasOf = (pageSize: number) => ({
  page: Type.Optional(PageNumber),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: pageSize })),
});

/** Interface specification, 2.5. */
export const Pagination = object(
  { page: Type.Integer(), pageSize: Type.Integer(), total: Type.Integer() },
  { title: 'Pagination' },
);

export const toSkipAndLimit = (page: number, pageSize: number): { skip: number; limit: number } => ({
  skip: (page - 1) * pageSize,
  limit: pageSize,
});
