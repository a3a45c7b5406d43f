/** Turns of the loop, and how long they take on the machine that limits of time are meant for. */
const TURNS = 2e7;
const USUAL_MS = 25;

const loopMs = (): number => {
  const begun = performance.now();
  let sum = 0;
  for (let turn = 0; turn < TURNS; turn++) sum += turn % 7;
  if (sum < 0) throw new Error('A sum of what is not negative is not negative');
  return performance.now() - begun;
};

let known: number | undefined;

/** How many times slower this machine is than the one that limits of time are meant for; at least 1. */
export const slowness = (): number =>
  (known ??= Math.max(1, Math.min(...Array.from({ length: 5 }, loopMs)) / USUAL_MS));
