import { codeText } from './code-text.ts';
import type { ChannelDelivery } from './deliver-by-channel.ts';

/** Where the demo shows a code; it must not scrub what it is given. */
export type CodeSink = (shown: { readonly to: string; readonly text: string }) => void;

/** For the demo: gives recipient and text to the sink, and to nothing else. */
export const logDelivery =
  (sink: CodeSink): ChannelDelivery =>
  (recipient, code) =>
    // A sink that throws is a delivery that failed.
    new Promise((resolve) => {
      sink({ to: recipient, text: codeText(code) });
      resolve();
    });
