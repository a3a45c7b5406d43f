import type { Socket } from 'node:net';

/** How long a client may read nothing of an answer that is sent piece by piece, in seconds that the process runs. */
const UNREAD_S = 30;
const LOOK_MS = 1_000;

/**
 * Closes a connection whose client reads nothing of an answer for half a minute, whatever it sends meanwhile: told by
 * the bytes that the operating system takes, as a piece may be large and a client slow.
 *
 * @param signal aborted when the answer has ended
 */
export const closeUnread = (socket: Socket, signal: AbortSignal): void => {
  let [written, looks] = [0, 0];
  const looking = setInterval(() => {
    const now = socket.bytesWritten - socket.writableLength;
    looks = socket.writableLength > 0 && now === written ? looks + 1 : 0;
    written = now;
    if (looks >= UNREAD_S) socket.destroy();
  }, LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(looking), { once: true });
};
