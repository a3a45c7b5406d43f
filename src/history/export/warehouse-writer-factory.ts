import { casesWriterFactory } from './cases.ts';
import type { ExportFormatOptions } from './formats.ts';
import { ocelWriterFactory } from './ocel.ts';
import { tablesWriterFactory, type WarehouseExportContext } from './tables.ts';
import type { ExportWriterFactory } from './writer.ts';

/** Begins to write a form from a warehouse. @throws DomainError for a column that there is not */
export const warehouseWriterFactory = (
  warehouse: WarehouseExportContext,
  form: ExportFormatOptions,
): ExportWriterFactory => {
  if (form.format === 'ocel') return ocelWriterFactory(warehouse, form.types);
  return form.caseOf === undefined
    ? tablesWriterFactory(warehouse, form)
    : casesWriterFactory(warehouse, form.caseOf, form);
};
