/** How much memory the test's process holds on to, for tests that nothing is kept. */

import v8 from "node:v8";
import vm from "node:vm";

v8.setFlagsFromString("--expose-gc");
const collect: unknown = vm.runInNewContext("gc");

/** Bytes that are reachable: objects and strings, and what stands outside the heap for them. */
export async function reachableBytes(): Promise<number> {
  if (typeof collect !== "function") throw new Error("The engine lets nobody collect garbage");
  // What has just ended is let go of in a later turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
