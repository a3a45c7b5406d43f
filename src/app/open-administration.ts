import type { Logger } from 'pino';
import { readActs } from '../audit/acts.ts';
import type { Audit } from '../audit/audited.ts';
import { createRegistryFeed } from '../builds/registry-feed.ts';
import { createProjectionOperations } from '../builds/operations.ts';
import { createOverviewReader } from '../builds/overview.ts';
import { createPlanSingleFlight, planRebuild } from '../builds/plan.ts';
import type { BuildRegistry } from '../builds/registry.ts';
import type { EventStore } from '../event-store/port.ts';
import type { HttpOptions } from '../http/create-http-app.ts';
import { createFollowerLimit } from '../http/followers.ts';
import { systemClock } from '../ports/clock.ts';
import type { HostedProjector } from '../projector-threads/host.ts';
import type { Projection } from '../projector/projection.ts';
import type { openReadModelReader } from '../stores.ts';
import type { CloseStack } from './close-stack.ts';

type AdminContext = HttpOptions['admin']['context'];

interface AdministrationOptions extends Pick<AdminContext, 'service' | 'webhooks'> {
  readonly registry: BuildRegistry;
  readonly projections: readonly Projection[];
  readonly projector: HostedProjector;
  readonly reader: Awaited<ReturnType<typeof openReadModelReader>>;
  readonly eventStore: EventStore;
  readonly audit: Audit;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Opens what operators may look at and do. Its clock is that of the projector's thread and of the command line. */
export const openAdministration = (options: AdministrationOptions, closings: CloseStack): HttpOptions['admin'] => {
  const { registry, projections, projector, reader, eventStore, audit, logger, signal } = options;
  const { checkpoints, leases } = reader;
  const feed = createRegistryFeed({
    all: () => registry.all(),
    onError: (error) => logger.warn({ err: error }, 'The progress of builds could not be read'),
    signal,
  });
  closings.push({ what: 'the followers of builds', close: () => feed.ended() });
  return {
    context: {
      operations: createProjectionOperations(
        registry,
        projections,
        checkpoints,
        () => systemClock().toISOString(),
        () => projector.registryChanged(),
      ),
      audit,
      overview: createOverviewReader({ registry, projections, projector, checkpoints, leases, eventStore }),
      service: options.service,
      plan: createPlanSingleFlight(async (name) => {
        const [projection, records] = [projections.find((each) => each.name === name), await registry.all()];
        if (!projection) throw new Error(`There is no projection ${name}`);
        return planRebuild(projection, records.get(name), eventStore);
      }),
      acts: (filter) => readActs(eventStore, { ...filter, now: systemClock() }),
      now: systemClock,
      webhooks: options.webhooks,
    },
    streams: { feed, followers: createFollowerLimit('the builds', signal) },
  };
};
