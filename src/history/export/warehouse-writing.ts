import { casesWriting } from './cases.ts';
import type { ExportForm } from './formats.ts';
import { ocelWriting } from './ocel.ts';
import { tablesWriting, type ExportWarehouse } from './tables.ts';
import type { BeginWriting } from './writer.ts';

/** Begins to write a form from a warehouse. @throws DomainError for a column that there is not */
export const warehouseWriting = (warehouse: ExportWarehouse, form: ExportForm): BeginWriting => {
  if (form.format === 'ocel') return ocelWriting(warehouse, form.types);
  return form.caseOf === undefined
    ? tablesWriting(warehouse, form)
    : casesWriting(warehouse, form.caseOf, form);
};
