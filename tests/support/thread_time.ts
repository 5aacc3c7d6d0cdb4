/** Work in processor time: it is the same however many other programs and tests share the machine. */

import process from "node:process";

/** Milliseconds of processor time that this thread spends until `run` has ended; 0 for what takes less than a tick. */
export async function threadMs(run: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
