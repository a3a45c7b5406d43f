import type { ChannelDelivery } from './deliver-by-channel.ts';

/** Shows the demo's codes, so it must not scrub them. */
type CodeSink = (shown: { readonly to: string; readonly text: string }) => void;

/** For the demo: gives recipient and text to the sink alone. */
export const logDelivery =
  (sink: CodeSink): ChannelDelivery =>
  (recipient, { text }) =>
    // In the promise, so that a sink that throws is a failed delivery.
    new Promise((resolve) => {
      sink({ to: recipient, text });
      resolve();
    });
