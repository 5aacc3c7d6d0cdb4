/** Real work under way, which fake time must not overtake: calls of a store on a disk or a server, writes of files. */

import type { Store } from "../../server/storage/stores/store.ts";
import { type RunCall, wrappedStore } from "./wrapped_store.ts";

export class RealWork {
  #inFlight = 0;

  /** Calls that have not returned. */
  get inFlight(): number {
    return this.#inFlight;
  }

  readonly run: RunCall = async (call) => {
    this.#inFlight++;
    try {
      return await call();
    } finally {
      this.#inFlight--;
    }
  };
}

/** The same store; its calls count as real work, so they must not wait for fake time. */
export const countedStore = (store: Store, work: RealWork): Store => ({
  ...wrappedStore(store, work.run),
  listen: store.listen && ((listener) => work.run(async () => await store.listen?.(listener) ?? NOTHING)),
  health: () => work.run(() => store.health()),
});

const NOTHING = () => Promise.resolve();

/** Calls of an open file that are done on another thread. */
const CALLS = ["seek", "write", "syncData", "truncate", "stat"] as const;

/** Counts what is done to open files, and the removal of files, as real work until it is disposed of. */
export function countFiles(work: RealWork): Disposable {
  const before = [
    ...CALLS.map((name) => countCalls(Deno.FsFile.prototype, { name, work })),
    countCalls(Deno, { name: "remove", work }),
  ];
  return { [Symbol.dispose]: () => before.forEach((restore) => restore()) };
}

function countCalls(owner: object, { name, work }: { readonly name: string; readonly work: RealWork }) {
  const call: unknown = Reflect.get(owner, name);
  if (typeof call !== "function") throw new Error(`There is no call ${name}`);
  Reflect.set(owner, name, function (this: unknown, ...args: readonly unknown[]) {
    return work.run(() => Reflect.apply(call, this, args));
  });
  return () => void Reflect.set(owner, name, call);
}
