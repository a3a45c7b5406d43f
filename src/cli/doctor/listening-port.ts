import { createServer } from 'node:net';
import { basename, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { oneLineReason } from '../parts/cli-error.ts';
import type { DirectoryOwner } from '../parts/data-directory.ts';
import { findPortListener, listOpenFiles, type PortListener } from '../parts/port-listener.ts';
import { fetchServiceReadiness, serviceUrlOf, type ServiceState } from '../parts/running-service.ts';
import { badFinding, runAsFindings, wellFinding, type Finding } from './finding.ts';

/** Listens on a port for a moment. Rejects as a start would. */
const tryListening = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });

/** The finding for a service that has the port and runs on other files than the configured ones. */
const serviceOnOtherFiles = (url: string, file: string, listener: PortListener | undefined): Finding => {
  const found = listener && listOpenFiles(listener.pid).find((path) => basename(path).startsWith(basename(file)));
  return badFinding(
    'port',
    `a service listens at ${url}, ${listener?.text ?? 'of another user'}, and runs on other files than ${file}${found === undefined ? '' : `: on ${found}`}`,
    `if its files were moved away, stop it${listener ? ` (kill -TERM ${listener.pid})` : ''} and put them back; if it is another service, name another PORT`,
  );
};

const HELP = 'the other findings and hiring projections list say what helps; where a thread goes on hanging, a restart';

/** How ready a running service says that it is. That it was killed is a finding of its directory. */
export const diagnoseRunningService = async (
  owner: DirectoryOwner | undefined,
  service: Promise<ServiceState>,
): Promise<readonly Finding[]> =>
  owner && !owner.isRunning
    ? []
    : runAsFindings('service', async () => {
        const { text, isWell, isService } = await service;
        if (isWell) return wellFinding('service', text);
        return badFinding('service', text, isService ? HELP : undefined);
      });

/** Whether a start could serve metrics on a port of their own. */
export const diagnoseMetricsPort = async (
  { host, metrics }: Pick<Config, 'host' | 'metrics'>,
  service: Promise<ServiceState>,
): Promise<readonly Finding[]> =>
  metrics.kind !== 'own-port' || (await service).isService
    ? []
    : runAsFindings('port', async () => {
        try {
          await tryListening(host, metrics.port);
          return wellFinding('port', `${host}:${metrics.port} is free for metrics`);
        } catch (error) {
          const help = `end what uses it (ss -ltnp sport = :${metrics.port}), or name another METRICS_PORT`;
          return badFinding(
            'port',
            `metrics cannot be served at ${host}:${metrics.port}: ${oneLineReason(error)}`,
            help,
          );
        }
      });

/**
 * Whether the service could listen. The port may also be in use by the process that has the directory, or on servers by
 * any instance that answers there.
 */
export const diagnoseServicePort = async (
  { host, port, stores }: Pick<Config, 'host' | 'port' | 'stores'>,
  owner: DirectoryOwner | undefined,
  service: Promise<ServiceState>,
): Promise<readonly Finding[]> =>
  runAsFindings('port', async () => {
    if (port === 0) return wellFinding('port', 'any free one');
    if (owner?.isRunning && owner.url !== undefined && Number(new URL(owner.url).port) === port)
      return wellFinding('port', `the service listens at ${owner.url}`);
    try {
      await tryListening(host, port);
      return wellFinding('port', `${host}:${port} is free`);
    } catch (error) {
      const url = serviceUrlOf({ host, port });
      const { eventStore } = stores;
      const isOnFiles = eventStore.kind === 'sqlite';
      const listener = findPortListener(port);
      if (isOnFiles && (await fetchServiceReadiness(url))?.isService)
        return serviceOnOtherFiles(url, resolve(eventStore.path), listener);
      if (!isOnFiles && (await service).isService) return wellFinding('port', `an instance listens at ${url}`);
      return badFinding(
        'port',
        `the service cannot listen at ${host}:${port}: ${listener === undefined ? '' : `it is in use by ${listener.text}: `}${oneLineReason(error)}`,
        `${isOnFiles ? '' : 'unless it is an instance that is slow to answer, '}end what uses it (ss -ltnp sport = :${port}), or name another PORT`,
      );
    }
  });
