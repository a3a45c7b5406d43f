import { expect } from 'chai';
import { loadConfig, type Environment } from '../../src/config/config.ts';
import { isObject } from '../../src/schema/json.ts';
import { readCompose, readWorkflow, type Service } from '../support/compose.ts';
import { readFile } from '../support/project.ts';
import { production, variablesAsked } from '../config/environments.ts';

const OWN_IMAGE = 'hiring-service:local';
/** A name, a version of three numbers, and the digest of what it was when it was chosen. */
const PINNED = /^[a-z0-9./-]+:v?\d+\.\d+\.\d+(?:-[a-z0-9.-]+)?@sha256:[0-9a-f]{64}$/;
/** Its digest was not to be had where the others were looked up (docs/operating.md). */
const EVENT_STORE_IMAGE = 'eventstore/eventstore:23.10.8-bookworm-slim';

const composeFiles = ['docker-compose.yml', 'docker-compose.cluster.yml'] as const;

const instructions = readFile('Dockerfile')
  .replaceAll(/^#.*$/gm, '')
  .replaceAll(/\\\n/g, '')
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '');
const argumentsOf = (name: string): string[] =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

const imageEnvironment: Environment = Object.fromEntries(
  argumentsOf('ENV')
    .flatMap((line) => line.split(/\s+/))
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return [name, value] as const;
    }),
);

/** Fills in values for compose's `${NAME:?…}`. */
const filledIn = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value
        ?.replace(/\$\{\w+:-\}/g, '')
        .replace(/\$\{(\w+):\?[^}]*\}/g, (_all, variable: keyof typeof production) => production[variable]),
    ]),
  );

for (const path of composeFiles)
  describe(path, () => {
    const { services, networks = {}, volumes } = readCompose(path);
    const all = Object.entries(services);
    const own = all.filter(([, { image }]) => image === OWN_IMAGE);
    /** A one-off service has no health check: its dependents wait until it has ended. */
    const isAwaited = (name: string) =>
      all.some(([, { depends_on: needs }]) => needs?.[name]?.condition === 'service_completed_successfully');
    const hasHealthCheck = (name: string) => services[name]?.healthcheck?.test?.[0] === 'CMD';
    const namesOf = (is: (service: Service, name: string) => boolean) =>
      all.filter(([name, service]) => is(service, name)).map(([name]) => name);

    it('publishes ports to this machine alone', () => {
      const ports = all.flatMap(([, service]) => service.ports ?? []);
      expect(ports).to.include('127.0.0.1:8080:8080');
      for (const port of ports) expect(port).to.match(/^127\.0\.0\.1:\d+:\d+$/);
    });

    it('pins every image that it does not build', () => {
      const isUnpinned = ({ build, image }: Service) =>
        build === undefined ? !PINNED.test(image) && image !== EVENT_STORE_IMAGE : image !== OWN_IMAGE;
      expect(namesOf(isUnpinned)).to.deep.equal([]);
    });

    it('gives no container privileges, a writable file system, or all of the memory', () => {
      for (const [name, service] of all) {
        expect(service, name).to.deep.include({
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          read_only: true,
        });
        expect(service, name).to.include.keys('mem_limit', 'pids_limit', 'tmpfs');
        expect(service.cap_add ?? [], name).to.deep.equal(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
      }
    });

    it('asks every service for its health, but those that others wait for to end', () => {
      const isOnce = ({ restart }: Service, name: string) => restart === 'no' && isAwaited(name);
      expect(namesOf((_service, name) => !hasHealthCheck(name))).to.deep.equal(namesOf(isOnce));
    });

    it('gives each only networks, volumes and services that are there', () => {
      for (const [, service] of all) {
        const named = (service.volumes ?? []).flatMap((volume) => /^([\w-]+):/.exec(volume)?.[1] ?? []);
        expect(Object.keys(volumes)).to.include.members(named);
        expect(Object.keys(networks)).to.include.members(service.networks ?? []);
        for (const [name, { condition }] of Object.entries(service.depends_on ?? {}))
          expect(hasHealthCheck(name)).to.equal(condition === 'service_healthy');
      }
    });

    it('runs the service twice, on servers, by variables that it knows', () => {
      expect(own.filter(([, { restart }]) => restart === 'unless-stopped')).to.have.length(2);
      const known = [...variablesAsked()];
      for (const [, { environment = {} }] of own) {
        expect(known).to.include.members(Object.keys(environment));
        const { stores } = loadConfig(filledIn({ ...imageEnvironment, ...environment }));
        expect([stores.eventStore.kind, stores.readModels.kind]).to.deep.equal(['eventstoredb', 'mongodb']);
      }
    });

    it('names servers that it has', () => {
      for (const [, { environment = {} }] of own)
        for (const url of [environment['EVENT_STORE_URL'], environment['READ_MODEL_URL']]) {
          const hosts = /^\w+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url ?? '')?.[1]?.split(',') ?? [];
          expect(Object.keys(services)).to.include.members(hosts.map((host) => host.replace(/:\d+$/, '')));
        }
    });

    it('has a proxy before both instances', () => {
      expect(services['proxy']?.volumes).to.include('./deploy/Caddyfile:/etc/caddy/Caddyfile:ro');
      const [, upstreams = ''] = /reverse_proxy (.*) \{/.exec(readFile('deploy/Caddyfile')) ?? [];
      const instances = own.filter(([, { restart }]) => restart !== 'no').map(([name]) => `${name}:8080`);
      expect(upstreams.split(' ')).to.have.members(instances);
    });
  });

describe('deploy/Caddyfile', () => {
  const file = readFile('deploy/Caddyfile');

  it('bounds times and sizes, each more widely than the service, which answers with a message', () => {
    for (const option of ['read_header 10s', 'read_body 30s', 'write 15m', 'idle 2m', 'max_header_size 32KiB'])
      expect(file).to.match(new RegExp(`^\\t+${option}$`, 'm'));
    expect(file).to.match(/request_body \{\s+max_size 1MiB\s+\}/);
    expect(file).to.match(/transport http \{\s+dial_timeout 2s\s[^}]*response_header_timeout 30s\s+\}/);
  });

  it('does not forward /metrics', () => {
    expect(file).to.match(/@metrics path \/metrics \/metrics\/\*\s+handle @metrics \{[^}]*respond [^\n]* 404\s/);
  });
});

describe('docker-compose.yml', () => {
  const { services } = readCompose('docker-compose.yml');

  it('says that the demo is meant to listen beyond loopback addresses', () => {
    const { environment = {} } = services['hiring-1'] ?? {};
    expect(environment).to.include({ NODE_ENV: 'development', ALLOW_DEMO: 'true' });
  });

  it('has a replica set of one, which its health check makes', () => {
    const { entrypoint = [], healthcheck } = services['mongodb'] ?? {};
    expect(entrypoint.join(' ')).to.include('mongod --replSet hiring --keyFile');
    expect(healthcheck?.test?.join(' ')).to.include(
      "rs.initiate({ _id: 'hiring', members: [{ _id: 0, host: 'mongodb:27017' }] })",
    );
    expect(services['hiring-1']?.environment?.['READ_MODEL_URL']).to.include('replicaSet=hiring');
  });
});

describe('docker-compose.cluster.yml', () => {
  const { services } = readCompose('docker-compose.cluster.yml');

  it('says that its servers are reached without TLS', () => {
    const { environment = {} } = services['hiring-1'] ?? {};
    expect(environment).to.include({ ALLOW_PLAINTEXT: 'true' }).and.not.have.property('ALLOW_DEMO');
  });

  it('begins no event log unless it is told, and may pin one', () => {
    const { environment = {} } = services['hiring-1'] ?? {};
    expect(environment).to.include({ EVENT_LOG_INIT: '${EVENT_LOG_INIT:-}', EVENT_LOG_ID: '${EVENT_LOG_ID:-}' });
  });

  it('holds no secret: the operator gives them', () => {
    const { environment = {} } = services['hiring-1'] ?? {};
    for (const name of ['API_KEYS', 'JWT_SECRET', 'CODE_SECRET', 'SMTP_URL', 'SMS_WEBHOOK_URL'])
      expect(environment[name]).to.match(new RegExp(`^\\$\\{${name}:\\?`));
  });

  it('has three nodes of EventStoreDB, each of which knows the other two', () => {
    const nodes = ['eventstore-1', 'eventstore-2', 'eventstore-3'];
    for (const node of nodes) {
      const { environment = {} } = services[node] ?? {};
      expect(environment['EVENTSTORE_CLUSTER_SIZE']).to.equal('3');
      expect(environment['EVENTSTORE_NODE_HOST_ADVERTISE_AS']).to.equal(node);
      const others = nodes.filter((other) => other !== node).map((other) => `${other}:2113`);
      expect(environment['EVENTSTORE_GOSSIP_SEED']?.split(',')).to.have.members(others);
    }
  });

  it('has three members of a replica set', () => {
    const [options] = ['mongodb-1', 'mongodb-2', 'mongodb-3'].map((name) => services[name]?.command);
    expect(options).to.include.members(['--replSet', 'hiring']);
    const made = services['replica-set']?.command?.join(' ') ?? '';
    expect(made).to.include("['mongodb-1', 'mongodb-2', 'mongodb-3']").and.include("_id: 'hiring'");
  });
});

describe('The Dockerfile', () => {
  it('begins with pinned images', () => {
    const [build = '', runtime = ''] = argumentsOf('FROM').map((line) => line.replace(/ AS \w+$/, ''));
    expect(build).to.match(PINNED).and.equal(runtime);
  });

  it('does not run as root', () => {
    expect(argumentsOf('USER')).to.deep.equal(['node']);
    const lastRun = instructions.findLastIndex((line) => line.startsWith('RUN '));
    expect(instructions.indexOf('USER node')).to.be.above(lastRun);
  });

  it('runs no code of packages while it is built', () => {
    for (const line of argumentsOf('RUN').filter((one) => one.startsWith('npm ci')))
      expect(line).to.include('--ignore-scripts');
  });

  it('starts the service as npm start does', () => {
    const manifest: unknown = JSON.parse(readFile('package.json'));
    const scripts = isObject(manifest) && isObject(manifest['scripts']) ? manifest['scripts'] : {};
    const [command = '[]'] = argumentsOf('CMD').filter((line) => line.includes('serve'));
    const built = `npm run --silent build && ${(JSON.parse(command) as string[]).join(' ')}`;
    expect(scripts['start']).to.equal(built);
  });

  it('is in production, where the secrets of the demo are refused, and sets variables that are known', () => {
    expect(imageEnvironment).to.include({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    // SQLite's own.
    const { SQLITE_TMPDIR, ...others } = imageEnvironment;
    expect(SQLITE_TMPDIR).to.equal(imageEnvironment['DATA_DIR']);
    expect([...variablesAsked()]).to.include.members(Object.keys(others));
  });

  it('has the files of SQL where the package says they are', () => {
    const { imports } = JSON.parse(readFile('package.json')) as { imports: Record<string, string> };
    const directory = imports['#warehouse/*']?.replace('./', '').replace('/*', '') ?? '';
    expect(argumentsOf('COPY')).to.include(`--from=build /srv/hiring/${directory} ${directory}`);
  });

  it('gets no file that it does not name', () => {
    const [first, ...more] = readFile('.dockerignore')
      .split('\n')
      .filter((line) => !/^(?:#.*)?$/.test(line));
    expect(first).to.equal('*');
    const copied = argumentsOf('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1));
    expect(more).to.have.members([...new Set(copied)].map((name) => `!${name}`));
  });
});

describe('.github/workflows/ci.yml', () => {
  const { jobs } = readWorkflow('.github/workflows/ci.yml');

  it('runs lint, types and tests on every version of Node.js that is supported', () => {
    const { embedded } = jobs;
    expect(embedded?.strategy?.matrix.node).to.deep.equal([20, 22, 24, 26]);
    const runs = embedded?.steps.map(({ run }) => run);
    expect(runs).to.include.members(['npm ci', 'npm run lint', 'npx tsc --noEmit', 'npm test', 'npm run test:faults']);
  });

  it('runs the tests against the servers of the compose file', () => {
    const { services = {}, env = {}, steps = [] } = jobs['servers'] ?? {};
    const compose = readCompose('docker-compose.yml').services;
    expect(services['eventstore']?.image).to.equal(compose['eventstore']?.image);
    expect(services['eventstore']?.options).to.include('--health-cmd');
    // A replica set needs an option and, once, a command.
    const runs = steps.flatMap(({ run }) => run ?? []);
    expect(runs.some((run) => run.includes(`${compose['mongodb']?.image ?? ''} --replSet`))).to.equal(true);
    expect(runs.some((run) => run.includes('rs.initiate'))).to.equal(true);
    expect(env).to.have.all.keys('TEST_EVENTSTORE_URL', 'TEST_MONGODB_URL');
    expect(runs).to.include('npm run test:faults');
  });

  it('runs the clients that others wrote', () => {
    const runs = jobs['clients']?.steps.map(({ run }) => run);
    expect(runs?.at(-1)).to.equal('npm test --prefix test/clients');
  });

  it('checks the proxy file with the proxy of the compose files', () => {
    const runs = jobs['image']?.steps.flatMap(({ run }) => run ?? []) ?? [];
    for (const path of composeFiles) {
      const image = readCompose(path).services['proxy']?.image ?? '';
      expect(
        runs.some((run) => run.includes(`${image} caddy validate`)),
        path,
      ).to.equal(true);
    }
  });

  it('uses actions of a version', () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used).to.have.length.above(4);
    for (const action of used) expect(action).to.match(/^actions\/[\w-]+@v\d+$/);
  });
});
