/** Something that is open, and how it is closed. */
interface Closing {
  readonly what: string;
  readonly close: () => Promise<unknown>;
}

/** What a service has opened; what was opened last is closed first. */
export interface CloseStack {
  readonly push: (closing: Closing) => void;
  /** Closes everything; what cannot be closed stays, and whatever was opened before it. */
  readonly closeAll: () => Promise<void>;
  /** What is still open, in the order in which it is closed. */
  readonly names: () => readonly string[];
}

export const createCloseStack = (): CloseStack => {
  const open: Closing[] = [];
  return {
    push: (closing) => void open.push(closing),
    async closeAll() {
      for (let next = open.at(-1); next; next = open.at(-1)) {
        await next.close();
        open.pop();
      }
    },
    names: () => open.map(({ what }) => what).reverse(),
  };
};
