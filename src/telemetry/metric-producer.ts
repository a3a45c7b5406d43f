import { ValueType, type Attributes, type HrTime } from './api.ts';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { Type, type Static } from '../schema/typebox.ts';
import type { Registry } from 'prom-client';
import { parse } from '../schema/parse.ts';

const Value = Type.Object({
  value: Type.Number(),
  labels: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  metricName: Type.Optional(Type.String()),
});
const Metric = Type.Object({
  name: Type.String(),
  help: Type.String(),
  type: Type.Enum(['counter', 'gauge', 'histogram', 'summary']),
  values: Type.Array(Value),
});
type Value = Static<typeof Value>;
type Metric = Static<typeof Metric>;
const Metrics = Type.Array(Metric);

const attributesOf = ({ labels }: Value): Attributes =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'le'));

/** Prometheus counts each bucket with all below it; OpenTelemetry counts it alone. */
const histogramOf = (name: string, values: readonly Value[]): Histogram => {
  const buckets = values.filter(({ metricName }) => metricName === `${name}_bucket`);
  const valueOf = (suffix: string) => values.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
  const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
  const boundaries = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
  return { buckets: { boundaries, counts }, sum: valueOf('sum'), count: valueOf('count') };
};

const groupedBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
};

const toMetricData = ({ name, help, type, values }: Metric, startTime: HrTime, endTime: HrTime): MetricData => {
  const point = <T>(value: T, of: Value) => ({ startTime, endTime, attributes: attributesOf(of), value });
  const shared = {
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
  };
  const numbers = values.map((value) => point(value.value, value));
  switch (type) {
    case 'histogram': {
      const groups = groupedBy(values, (value) => JSON.stringify(attributesOf(value)));
      return {
        ...shared,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: groups.flatMap((group) => (group[0] ? [point(histogramOf(name, group), group[0])] : [])),
      };
    }
    case 'counter':
      return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers };
    case 'gauge':
    case 'summary':
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: numbers };
  }
};

/** Gives the metrics of `/metrics` to an exporter of OpenTelemetry, as they are when it asks. */
export const createMetricProducer = (registry: Registry, resource: Resource): MetricProducer => {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect(): Promise<CollectionResult> {
      const read = parse(Metrics, await registry.getMetricsAsJSON(), 'metrics');
      const endTime = millisToHrTime(Date.now());
      const metrics = read.map((metric) => toMetricData(metric, startTime, endTime));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'hiring' }, metrics }] }, errors: [] };
    },
  };
};
