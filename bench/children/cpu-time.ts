/** Begins to count CPU time, that of all threads of this process; what it gives tells how much there was since, in microseconds. */
export const countCpuTime = (): (() => number) => {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
};
