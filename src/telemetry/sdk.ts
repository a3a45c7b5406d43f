import { context, propagation, trace } from './api.ts';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Registry } from 'prom-client';
import { throttle } from '../lib/throttle.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { createMetricProducer } from './metric-producer.ts';
import type { RunningTelemetry, TelemetryVariables } from './settings.ts';
import { switchTracing } from './tracing.ts';

const TOLD_EVERY_MS = 3_600_000;
const STOP_MS = 2_000;
const METRICS_EVERY_MS = 60_000;
/** Tries included. A stop waits no longer than for one. */
const TIMEOUT_MS = 2_000;

const timeoutOf = (variables: TelemetryVariables) => ({
  timeoutMillis: Number(variables['OTEL_EXPORTER_OTLP_TIMEOUT'] ?? TIMEOUT_MS),
});

const startMetrics = (variables: TelemetryVariables, resource: Resource, registry: Registry) => {
  const every = Number(variables['OTEL_METRIC_EXPORT_INTERVAL'] ?? METRICS_EVERY_MS);
  const { timeoutMillis } = timeoutOf(variables);
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ timeoutMillis }),
    exportIntervalMillis: every,
    // The reader wants it no longer than the interval.
    exportTimeoutMillis: Math.min(timeoutMillis, every),
    metricProducers: [createMetricProducer(registry, resource)],
  });
  return new MeterProvider({ resource, readers: [reader] });
};

/**
 * Starts the export of this thread's spans, and of metrics, over OTLP. Import this file only where telemetry is on: the
 * SDK takes long to load.
 *
 * @param onFailure told when something cannot be exported, at most once an hour
 * @param registry whose metrics are exported as well; left out: none
 */
export const startTelemetry = (
  variables: TelemetryVariables,
  onFailure: (error: unknown) => void,
  registry?: Registry,
): RunningTelemetry => {
  // The SDK reads its settings there; those of an .env file are only known to the configuration.
  Object.assign(process.env, variables);
  setGlobalErrorHandler(throttle(TOLD_EVERY_MS, onFailure));
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'hiring' }))
    .merge(detectResources({ detectors: [envDetector] }));
  // What a slow collector does not take in time is dropped: the queue is bounded.
  const provider = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(timeoutOf(variables)))],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const meters = registry && startMetrics(variables, resource, registry);
  switchTracing(true);
  return {
    async stop() {
      switchTracing(false);
      const ended = Promise.all([provider.shutdown(), meters?.shutdown()]);
      await withTimeout(ended, STOP_MS, 'The collector does not take the last spans').catch(onFailure);
      for (const api of [trace, context, propagation]) api.disable();
    },
  };
};
