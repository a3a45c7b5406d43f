import { expect } from 'chai';
import { Type, type Static } from '../../src/schema/typebox.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { createValidator } from '../../src/schema/validation.ts';
import { parseYaml } from '../support/compose.ts';
import { readFile } from '../support/project.ts';
import { askedBy } from '../support/promql.ts';

const Rules = Type.Object({
  groups: Type.Array(
    Type.Object({
      name: Type.String(),
      rules: Type.Array(
        Type.Object(
          {
            alert: Type.String({ pattern: '^Hiring[A-Za-z]+$' }),
            expr: Type.String(),
            for: Type.Optional(Type.String({ pattern: '^\\d+[smh]$' })),
            labels: Type.Object({ severity: Type.Enum(['warning', 'critical']) }),
            annotations: Type.Object({ summary: Type.String(), description: Type.String() }),
          },
          { additionalProperties: false },
        ),
      ),
    }),
  ),
});

const Source = Type.Object({ type: Type.Literal('prometheus'), uid: Type.Literal('${datasource}') });
const Panel = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  type: Type.String(),
  datasource: Type.Optional(Source),
  gridPos: Type.Object({ x: Type.Integer(), y: Type.Integer(), w: Type.Integer(), h: Type.Integer() }),
  targets: Type.Optional(Type.Array(Type.Object({ refId: Type.String(), expr: Type.String() }))),
});
const Dashboard = Type.Object({
  title: Type.String(),
  uid: Type.String(),
  templating: Type.Object({ list: Type.Array(Type.Object({ name: Type.String() })) }),
  panels: Type.Array(Panel),
});

/** @throws Error for a file of another form than the tests know */
const valid = <S extends Parameters<typeof createValidator>[0]>(
  schema: S,
  path: string,
  content: unknown,
): Static<S> => {
  const checked = createValidator(schema, path)(content);
  if (!checked.ok) throw new Error(checked.message);
  return checked.value;
};

/** The names in the text of /metrics with their labels, when every metric has a value. */
const exposed = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const metrics = createMetrics();
  metrics.requests.observe({ operation: 'savePosting', status: '200' }, 0.1);
  metrics.commands.inc({ command: 'savePosting', outcome: 'done' });
  metrics.appends.observe(0.1);
  const lease = { holder: 'host:1:id', since: '2026-03-01T09:30:00.000Z' };
  const status = { name: 'lists', version: 1, position: '1', errors: 0, lastError: undefined, lease };
  const lag = { events: 0, seconds: 0, lateSeconds: 0, stillSeconds: 0 };
  metrics.watchProjections({ status: () => [status] }, { look: () => Promise.resolve(new Map([['lists', lag]])) });
  metrics.watchWebhooks(() => ({ waiting: 0, parked: 0, stopped: 0 }));
  const found = new Map<string, string[]>();
  for (const line of (await metrics.registry.metrics()).split('\n')) {
    const [, name, labels = ''] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    found.set(name, [...(found.get(name) ?? []), ...names]);
  }
  return found;
};

/** What Prometheus itself adds. */
const ITS_METRICS = ['up'];
const ITS_LABELS = ['job', 'instance'];

const rules = valid(Rules, 'alerts.yml', parseYaml(readFile('deploy/prometheus/alerts.yml'))).groups.flatMap(
  (group) => group.rules,
);
const dashboard = valid(Dashboard, 'dashboard.json', JSON.parse(readFile('deploy/grafana/dashboard.json')) as unknown);
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
const expressions = {
  'deploy/prometheus/alerts.yml': rules.map(({ alert, expr }) => [alert, expr] as const),
  'deploy/grafana/dashboard.json': panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  ),
};

describe('An expression of PromQL', () => {
  it('asks for metrics by labels', () => {
    const expression =
      'histogram_quantile(0.99, sum by (le, operation) (rate(a_bucket{job="x y",status=~"5.."}[$__rate_interval]))) > 1e3 and b_total == 0';
    expect(askedBy(expression)).to.deep.equal({
      metrics: ['a_bucket', 'b_total'],
      labels: ['job', 'status', 'le', 'operation'],
    });
  });

  it('has brackets that match', () => {
    expect(() => askedBy('sum(rate(a[5m])')).to.throw(/brackets/);
  });
});

for (const [path, all] of Object.entries(expressions))
  describe(path, () => {
    let there: ReadonlyMap<string, readonly string[]>;
    before(async () => {
      there = await exposed();
    });

    it('asks only for metrics that /metrics exposes', () => {
      expect(all).to.have.length.above(10);
      for (const [name, expression] of all) {
        const { metrics } = askedBy(expression);
        expect(metrics, name).not.to.have.length(0);
        expect([...there.keys(), ...ITS_METRICS], name).to.include.members([...metrics]);
      }
    });

    it('asks only for labels that these metrics have', () => {
      for (const [name, expression] of all) {
        const { metrics, labels } = askedBy(expression);
        const known = [...metrics.flatMap((metric) => there.get(metric) ?? []), ...ITS_LABELS];
        expect(known, name).to.include.members([...labels]);
      }
    });
  });

describe('The alerts', () => {
  it('each have a name of their own', () => {
    const names = rules.map(({ alert }) => alert);
    expect([...new Set(names)]).to.deep.equal(names);
  });

  it('tell of every way in which the service can be ill', () => {
    expect(rules.map(({ alert }) => alert)).to.include.members([
      'HiringDown',
      'HiringProjectionLag',
      'HiringProjectionErrors',
      'HiringProjectionStuck',
      'HiringStreamsQuarantined',
      'HiringSubscriptionDrops',
      'HiringServerErrors',
      'HiringSlow',
      'HiringAppendSlow',
      'HiringLeaseUnheld',
    ]);
  });

  it('are all in docs/operating.md', () => {
    const page = readFile('docs/operating.md');
    const listed = [...page.matchAll(/^\| `(Hiring\w+)` +\|/gm)].map(([, name]) => name);
    expect(listed).to.deep.equal(rules.map(({ alert }) => alert));
  });

  it('name only labels that are left when they fire', () => {
    for (const { expr, annotations } of rules) {
      const named = Object.values(annotations).flatMap((text) =>
        [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
      );
      const [, by] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
      const left = by === undefined ? ['instance', 'projection'] : by.split(/,\s*/);
      expect(left).to.include.members(named);
    }
  });
});

describe('The dashboard', () => {
  it('has panels with ids and places of their own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect([...new Set(ids)]).to.deep.equal(ids);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).to.be.at.most(24);
  });

  it('shows of projections how far behind they are, what fails, what waits, and who keeps them', () => {
    const shown = expressions['deploy/grafana/dashboard.json'].flatMap(([, expr]) => askedBy(expr).metrics);
    expect(shown).to.include.members([
      'projection_lag_events',
      'projection_lag_seconds',
      'projection_errors',
      'projection_quarantined_streams',
      'projection_lease_since_seconds',
    ]);
  });

  it('asks the source that is chosen, and uses only variables that it has', () => {
    const variables = dashboard.templating.list.map(({ name }) => name);
    for (const { title, datasource, targets = [] } of panels) {
      expect(datasource, title).not.to.equal(undefined);
      for (const { expr } of targets)
        for (const [, name = ''] of expr.matchAll(/\$(\w+)/g))
          expect([...variables, '__rate_interval'], title).to.include(name);
    }
  });
});

describe('The metrics of docs/operating.md', () => {
  it('are those that the service has beside the usual ones', async () => {
    const names = [...(await exposed()).keys()]
      .filter((name) => !/^(?:process|nodejs)_/.test(name))
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));
    const [, section = ''] = readFile('docs/operating.md').split('\n## Metrics\n');
    const [page = ''] = section.split('\n## ');
    const listed = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    expect(listed).to.have.members([...new Set(names)]);
  });
});
