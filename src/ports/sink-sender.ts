import type { ChannelSender } from './channel-dispatcher.ts';

/** Shows the demo's codes, so it must not scrub them. */
type CodeSink = (shown: { readonly to: string; readonly text: string }) => void;

/** For the demo: gives recipient and text to the sink alone. */
export const createSinkSender =
  (sink: CodeSink): ChannelSender =>
  (recipient, { text }) =>
    // In the promise, so that a sink that throws is a failed delivery.
    new Promise((resolve) => {
      sink({ to: recipient, text });
      resolve();
    });
