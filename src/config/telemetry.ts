import type { TelemetryVariables } from '../telemetry/settings.ts';
import { readHttpUrl } from './urls.ts';
import { readBoolean, readInteger, readOneOf, type Environment, type VariableReader } from './values.ts';

const MAX_INTERVAL_MS = 3_600_000;

/**
 * The variables of OpenTelemetry's SDK, which reads them by itself; undefined where nothing is to be exported. Those
 * that this service depends on are checked.
 */
export const readTelemetryVariables = (
  variables: VariableReader,
  environment: Environment,
): TelemetryVariables | undefined => {
  const endpoint = readHttpUrl(variables, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  readOneOf(variables, 'OTEL_EXPORTER_OTLP_PROTOCOL', ['http/json']);
  for (const name of ['OTEL_METRIC_EXPORT_INTERVAL', 'OTEL_EXPORTER_OTLP_TIMEOUT'])
    readInteger(variables, name, 100, MAX_INTERVAL_MS);
  if (!endpoint || readBoolean(variables, 'OTEL_SDK_DISABLED') === true) return undefined;
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = '']) =>
      name.startsWith('OTEL_') && value !== '' ? [[name, value]] : [],
    ),
  );
};
