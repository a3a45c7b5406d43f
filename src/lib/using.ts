/** Uses what is opened, such as an event log or the read models, and closes it however that ends. */
export const using = async <Opened extends { close(): Promise<void> | void }, T>(
  opening: Opened | Promise<Opened>,
  use: (opened: Opened) => Promise<T>,
): Promise<T> => {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
};
