import { exportHistory, type ExportOptions } from '../../history/export/export.ts';
import type { ExportForm } from '../../history/export/formats.ts';
import type { ExportManifest } from '../../history/export/manifest.ts';
import type { MomentRequest } from '../../history/moment/moment.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { createLeakyBucket } from '../../lib/leaky-bucket.ts';
import type { Service } from './history-service.ts';
import { A_REQUEST } from './service-events.ts';
import { openShownLog } from './service-shown-log.ts';

/** The service closes a connection that is not read from for long: one request asks for what a throttle lets through in this time. */
const REQUEST_S = 10;

export interface ServiceExport extends MomentRequest, Pick<ExportOptions, 'onRead' | 'onRestart'> {
  readonly directory: string;
  readonly form: ExportForm;
  /** Events a second; Infinity is no limit. */
  readonly perSecond: number;
}

/**
 * Exports the events of a service: the same bytes as from its stores.
 *
 * @throws CliError where the service refuses, cannot be asked, or ends an answer too early: what is whole stays
 * @throws DomainError for an export that is refused
 */
export const exportService = async (
  service: Service,
  { directory, form, at, upTo, perSecond, ...told }: ServiceExport,
): Promise<ExportManifest> => {
  const perRequest = Math.max(1, Math.min(A_REQUEST, Math.ceil(perSecond * REQUEST_S)));
  const log = await openShownLog(service, perRequest);
  const to = await log.momentOf({ at, upTo });
  const asked = { form, shownAs: log.shownAs, code: codeVersion(), to };
  const { signal } = service;
  const throttle = createLeakyBucket(() => perSecond, signal);
  return exportHistory(log, directory, asked, { signal, throttle, ...told });
};
