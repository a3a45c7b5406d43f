/** Makes the function that tells how much CPU time all threads of this process have used since, in microseconds. */
export const countCpuTime = (): (() => number) => {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
};
