import type { Registry } from 'prom-client';
import type { Telemetry, TelemetryVariables } from './settings.ts';

/**
 * Starts the export of this thread's spans, and of metrics, over OTLP. The SDK is loaded only now.
 *
 * @param registry whose metrics are exported as well; left out: none
 * @param onFailure told when something cannot be exported, at most once an hour
 */
export const startTelemetry = async (
  variables: TelemetryVariables,
  onFailure: (error: unknown) => void,
  registry?: Registry,
): Promise<Telemetry> => {
  const { startSdk } = await import('./sdk.js');
  return startSdk(variables, onFailure, registry);
};
