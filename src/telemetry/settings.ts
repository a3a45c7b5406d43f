/** What the SDK of OpenTelemetry is told, by its own variables: those whose names begin with `OTEL_`. */
export type TelemetryVariables = Readonly<Record<string, string>>;

/** Ends the export once what waits was sent, or after a moment. */
export interface RunningTelemetry {
  stop(): Promise<void>;
}
