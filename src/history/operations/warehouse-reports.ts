import { makeReport } from './report.ts';
import type { HistoryWorker } from './history-worker.ts';
import type { ServiceWarehouse } from './service-warehouse.ts';

/** A reader whose reports without personal data are answers of the service's warehouse. */
export const routeReportsToWarehouse = (warehouse: ServiceWarehouse, reader: HistoryWorker): HistoryWorker => ({
  ...reader,
  async ask(question, signal) {
    if (question.operation !== makeReport.name || question.isUnmasked) return reader.ask(question, signal);
    const answer = await warehouse.ask({ kind: 'report', ...question.parameters }, signal);
    const pieces = answer.body().setEncoding('utf8');
    const over = new Promise<void>((resolve) => pieces.once('close', resolve));
    const leave = () => pieces.destroy();
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    return { upTo: answer.upTo, masks: answer.masks, pieces, over };
  },
});
