import type { ChannelSender } from './channel-dispatcher.ts';
import { failureName } from './failure-name.ts';

const TIMEOUT_MS = 5_000;

/** Posts `{"to", "text"}` to a webhook; any 2xx is success, a redirect is not. */
export const createSmsWebhookSender =
  (url: URL, { timeoutMs = TIMEOUT_MS } = {}): ChannelSender =>
  async (recipient, { text }) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ to: recipient, text }),
      // Followed, a 302 would become a GET whose 200 says nothing about the message.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new Error(`The SMS webhook could not be reached: ${failureName(error)}`);
    });
    // Neither the body nor an error in it matters.
    await response.body?.cancel().catch(() => undefined);
    if (!response.ok) throw new Error(`The SMS webhook answered ${response.status}`);
  };
