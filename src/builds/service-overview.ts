import { Type, type Static } from '../schema/typebox.ts';
import { nullable, object, Timestamp } from '../schema/schema.ts';

/** The instance of the service that answers, for operators. */
export const ServiceOverview = object(
  {
    startedAt: Timestamp,
    instance: Type.String({
      description: 'The host and the process that answer; the holders of leases begin like that.',
    }),
    status: Type.Enum(['ready', 'degraded', 'not ready'], {
      title: 'ServiceStatus',
      description: 'As `/health/ready` says it.',
    }),
    reason: nullable(Type.String({ description: 'Why it is not ready, or degraded.' })),
    threads: Type.Array(
      object(
        {
          name: Type.Enum(['writer', 'projector', 'history'], {
            title: 'ThreadName',
            description: 'The writer is there where the events are in files.',
          }),
          isAnswering: Type.Boolean({
            description: 'Not while it hangs, nor from when it has ended by itself until another one has begun.',
          }),
        },
        { title: 'ServiceThread' },
      ),
    ),
    stores: object(
      {
        eventStore: Type.Enum(['sqlite', 'eventstoredb'], { title: 'EventStoreKind' }),
        readModels: Type.Enum(['sqlite', 'mongodb'], { title: 'ReadModelsKind' }),
      },
      { title: 'ServiceStores' },
    ),
    head: nullable(
      Type.String({
        description: 'The position of the last event; null before the first, and while the log does not answer.',
      }),
    ),
    disk: nullable(
      object(
        { freeBytes: Type.Integer({ description: 'For this user.' }), totalBytes: Type.Integer() },
        {
          title: 'ServiceDisk',
          description: 'Of the data directory; null on servers, and while the disk does not answer.',
        },
      ),
    ),
    lastBackup: nullable(
      object(
        { at: Timestamp, actor: Type.String() },
        {
          title: 'LastBackup',
          description: 'When it was asked for, and by whom; null where none is known, and on servers.',
        },
      ),
    ),
  },
  { title: 'Service' },
);
export type ServiceOverview = Static<typeof ServiceOverview>;
