import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { Type, type Static, type TSchema } from '../../src/schema/typebox.ts';
import { parse } from '../../src/schema/parse.ts';
import { readFile } from './project.ts';

const Texts = Type.Array(Type.String());
const Conditions = Type.Record(
  Type.String(),
  Type.Object({ condition: Type.Enum(['service_healthy', 'service_completed_successfully']) }),
);

/** The members of a service that the tests use. */
export const Service = Type.Object({
  image: Type.String(),
  build: Type.Optional(Type.String()),
  entrypoint: Type.Optional(Texts),
  command: Type.Optional(Texts),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
  ports: Type.Optional(Texts),
  networks: Type.Optional(Texts),
  volumes: Type.Optional(Texts),
  user: Type.Optional(Type.String()),
  cap_drop: Type.Optional(Texts),
  cap_add: Type.Optional(Texts),
  security_opt: Type.Optional(Texts),
  read_only: Type.Optional(Type.Boolean()),
  tmpfs: Type.Optional(Texts),
  mem_limit: Type.Optional(Type.String()),
  pids_limit: Type.Optional(Type.Integer()),
  restart: Type.Enum(['unless-stopped', 'no']),
  healthcheck: Type.Optional(Type.Object({ test: Type.Optional(Texts), disable: Type.Optional(Type.Boolean()) })),
  depends_on: Type.Optional(Conditions),
});
export type Service = Static<typeof Service>;

const Named = Type.Record(Type.String(), Type.Unknown());
const Compose = Type.Object(
  {
    'x-hardened': Named,
    services: Type.Record(Type.String(), Service),
    networks: Type.Optional(Named),
    volumes: Named,
  },
  { additionalProperties: false },
);

const Job = Type.Object({
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
  strategy: Type.Optional(Type.Object({ matrix: Type.Object({ node: Type.Array(Type.Integer()) }) })),
  services: Type.Optional(
    Type.Record(Type.String(), Type.Object({ image: Type.String(), ports: Texts, options: Type.String() })),
  ),
  steps: Type.Array(Type.Object({ uses: Type.Optional(Type.String()), run: Type.Optional(Type.String()) })),
});
const Workflow = Type.Object({ jobs: Type.Record(Type.String(), Job) });

/** YAML as compose and Prometheus read it. */
export const parseYaml = (text: string): unknown => load(text, { schema: CORE_SCHEMA.withTags(mergeTag) });

const read = <S extends TSchema>(schema: S, path: string): Static<S> => parse(schema, parseYaml(readFile(path)), path);

/** @throws Error for a file of another form than the tests know */
export const readCompose = (path: string): Static<typeof Compose> => read(Compose, path);

/** @throws Error for a file of another form than the tests know */
export const readWorkflow = (path: string): Static<typeof Workflow> => read(Workflow, path);
