/**
 * Takes away what no command needs and no permission of Deno refuses: storage on the machine's disk, its graphics
 * processor, and threads, whose globals would be as they were before.
 */

import { Worker as NodeWorker } from "node:worker_threads";

const stores = ["caches", "CacheStorage", "Cache", "localStorage", "sessionStorage", "Storage"] as const;

/** Stands above the classes of threads: a constructor calls the one above it before it does anything. */
class NoThread {
  constructor() {
    throw new TypeError("A container has no threads");
  }
}

for (const name of stores) Reflect.deleteProperty(globalThis, name);
Reflect.deleteProperty(Navigator.prototype, "gpu");
for (const made of [Worker, NodeWorker]) {
  Object.setPrototypeOf(made, NoThread);
  Object.freeze(made);
}
