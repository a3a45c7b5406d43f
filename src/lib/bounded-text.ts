/**
 * The body of an HTTP answer as text, decompressed. Of a longer one no more is read, and its connection is closed.
 *
 * @throws Error, by the name TooLongError, for a body of more bytes
 */
export const readBoundedText = async ({ body }: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<unknown>) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('The body of an answer is not made of bytes');
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw Object.assign(new Error(`The answer has more than ${maxBytes} bytes`), { name: 'TooLongError' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
