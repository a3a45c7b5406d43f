import type { ServedBuildIds } from '../projector/build-projection.ts';
import type { BuildPart, SerializableGroupBuildRequest } from '../projector/apply-groups.ts';
import type { GroupBatch, GroupReadOptions, Position } from '../event-store/port.ts';
import type { SerializedError } from '../lib/serialized-error.ts';
import type { PoisonEvent } from '../projector/parked-streams.ts';
import type { ProjectionStatus } from '../projector/progress.ts';
import type { ChangesByCollection } from '../read-models/port.ts';
import type { BuildMilestone } from '../builds/build-milestones.ts';
import type { EventStoreSettings, StoreSettings } from '../stores.ts';
import type { TelemetryVariables } from '../telemetry/settings.ts';

export interface ProjectorInput {
  readonly stores: StoreSettings;
  readonly servesRequests: boolean;
  /** Undefined: nothing is exported. */
  readonly telemetry: TelemetryVariables | undefined;
}

/** The event at which a stream of a build was parked. */
export type ParkedEvent = Omit<PoisonEvent, 'event' | 'error'> & {
  readonly build: string;
  readonly id: string;
  readonly error: SerializedError;
};

export type ProjectorReport =
  | {
      readonly kind: 'stored';
      readonly status: readonly ProjectionStatus[];
      readonly isCaughtUp: boolean;
      readonly served: ServedBuildIds;
      readonly touched: ChangesByCollection;
    }
  | {
      readonly kind: 'failed';
      /** The id of the build that it concerns, a projection's name, or `all`. */
      readonly build: string;
      readonly error: SerializedError;
      readonly waitsFor: string | undefined;
      /** Whether the event log is not the one that the builds are of. */
      readonly isOfAnotherLog: boolean;
    }
  /** A subscription of the event log was dropped and resumes where it was. */
  | { readonly kind: 'dropped'; readonly error: SerializedError }
  | { readonly kind: 'parked'; readonly parked: ParkedEvent }
  | { readonly kind: 'build'; readonly change: BuildMilestone }
  /** What an operator should look at. */
  | { readonly kind: 'warned'; readonly line: string };

type ProjectorMessage =
  | { readonly kind: 'appended'; readonly position: Position }
  /** A reader has found what is stored of a build damaged. */
  | { readonly kind: 'damaged'; readonly build: string }
  /** This process has changed the build registry. */
  | { readonly kind: 'registry-changed' };

/** It runs until it is cancelled. */
export interface ProjectorProtocol {
  readonly input: ProjectorInput;
  readonly status: ProjectorReport;
  readonly message: ProjectorMessage;
}

export interface ReadGroupsProtocol {
  readonly input: { readonly settings: EventStoreSettings; readonly read: GroupReadOptions };
  readonly item: GroupBatch;
}

export interface ApplyGroupsProtocol {
  readonly input: {
    readonly settings: StoreSettings;
    readonly build: SerializableGroupBuildRequest;
    readonly servesRequests: boolean;
  };
  readonly item: BuildPart;
}
