import { commands } from '../../commands/index.ts';
import { projections } from '../../projections/index.ts';
import { queries } from '../../queries/index.ts';
import type { BusinessDomain } from '../app/options.ts';
import { projectionAdminApi } from '../builds/admin-api.ts';
import { allHistoryOperations } from '../history/operations/index.ts';
import { createWorkerStarter } from '../lib/worker-client.ts';
import { webhookReadOperations } from '../webhooks/read-operations.ts';

/** The business of this service. */
export const hiring: BusinessDomain = {
  title: 'Hiring service',
  description:
    'Professionals, postings and candidates in dental staffing. The interface grows by addition; a breaking change would be served under /v2.',
  commands,
  queries,
  admin: { ...projectionAdminApi, operations: [...projectionAdminApi.operations, ...webhookReadOperations] },
  questions: allHistoryOperations,
  projections,
  startProjector: createWorkerStarter(new URL('./projector.thread.js', import.meta.url)),
};
