/**
 * Has this thread's clock show another time.
 *
 * @param by milliseconds beside the time that it is
 * @returns sets it right again
 */
export const setClock = (by: () => number): (() => void) => {
  const Right = globalThis.Date;
  class Shifted extends Right {
    constructor(...args: readonly [] | readonly [string | number | Date]) {
      // Its other form, of year, month and so on, is used nowhere here.
      super(args.length === 0 ? Shifted.now() : args[0]);
    }
    static override now(): number {
      return Right.now() + by();
    }
  }
  globalThis.Date = Shifted as DateConstructor;
  return () => {
    globalThis.Date = Right;
  };
};
