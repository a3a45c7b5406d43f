import type { Logger } from 'pino';
import type { BuildMilestone } from '../builds/build-milestones.ts';
import type { ParkedEvent } from '../projector-threads/messages.ts';
import { projectionNameOfBuild } from '../projector/build-id.ts';
import { fromSerializedError } from '../lib/serialized-error.ts';

const MESSAGES: Readonly<Record<BuildMilestone['kind'], string>> = {
  begun: 'A build has begun',
  built: 'A build is complete',
  compared: 'A build was compared with what is served',
  switched: 'Another build is served',
  dropped: 'A build was thrown away',
};

/** Lines of the application log about what the projector's thread tells (docs/operating.md, Logs). */
export const createProjectorLogCallbacks = (logger: Pick<Logger, 'error' | 'info'>) => ({
  onBuild({ kind, ...members }: BuildMilestone): void {
    logger.info(members, MESSAGES[kind]);
  },
  onParked({ build, stream, error, ...event }: ParkedEvent): void {
    logger.error(
      { projection: projectionNameOfBuild(build), build, stream, event, err: fromSerializedError(error) },
      'A stream is parked at an event that cannot be applied; all others go on',
    );
  },
});
