/** The members that have a value: those that are undefined are left out. */
export const given = <T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  // Only members without a value are taken away.
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };
