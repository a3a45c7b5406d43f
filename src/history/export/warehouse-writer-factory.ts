import { createCasesWriterFactory } from './cases.ts';
import type { ExportFormatOptions } from './formats.ts';
import { createOcelWriterFactory } from './ocel.ts';
import { createTablesWriterFactory, type WarehouseExportContext } from './tables.ts';
import type { ExportWriterFactory } from './writer.ts';

/** Begins to write a form from a warehouse. @throws DomainError for a column that there is not */
export const createWarehouseWriterFactory = (
  warehouse: WarehouseExportContext,
  form: ExportFormatOptions,
): ExportWriterFactory => {
  if (form.format === 'ocel') return createOcelWriterFactory(warehouse, form.types);
  return form.caseOf === undefined
    ? createTablesWriterFactory(warehouse, form)
    : createCasesWriterFactory(warehouse, form.caseOf, form);
};
