import type { Link } from './api.ts';
import { inSpan, isTracing, linkOf, contextOfLink } from './tracing.ts';

/** A collector refuses spans with very many. */
const MAX_LINKS = 64;

/** Runs a commit within the span of the events that it stores. */
export type RunInSpan = <T>(commit: () => Promise<T>) => Promise<T>;
/** Of a commit that no trace led to. */
export const withoutSpan: RunInSpan = (commit) => commit();

/** The traces of the events that one projection applies, from commit to commit. */
export const createBatchTrace = (projection: string, build: string) => {
  let links: Link[] = [];
  let events = 0;
  let startTime = 0;
  return {
    /** Notes an event that was applied. @param metadataOf gives undefined for one that it does not apply */
    note(metadataOf: () => { readonly traceparent?: string | undefined } | undefined): void {
      const metadata = isTracing() ? metadataOf() : undefined;
      if (!metadata) return;
      events++;
      if (links.length === MAX_LINKS) return;
      const link = linkOf(metadata.traceparent);
      if (!link) return;
      if (links.length === 0) startTime = Date.now();
      links.push(link);
    },
    /**
     * Gives the span of the events noted since the last time, which runs from the first of them to the end of the
     * commit. It belongs to the trace of the first, and is linked to all; events without a trace make no span.
     */
    take(): RunInSpan {
      const attributes = { 'hiring.projection': projection, 'hiring.build': build, 'hiring.events': events };
      const options = { attributes, links, startTime };
      const [first] = links;
      links = [];
      events = 0;
      if (!first) return withoutSpan;
      return (commit) => inSpan(`apply ${projection}`, options, commit, contextOfLink(first));
    },
  };
};
export type BatchTrace = ReturnType<typeof createBatchTrace>;
