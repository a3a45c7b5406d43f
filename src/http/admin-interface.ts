import type { AdminInterface } from '../builds/admin-operation.ts';
import { projectionAdmin } from '../builds/admin.ts';
import { webhookReads } from '../webhooks/reads.ts';

/** The operations that are neither commands nor queries nor questions about the history. */
export const adminInterface: AdminInterface = {
  ...projectionAdmin,
  operations: [...projectionAdmin.operations, ...webhookReads],
};
