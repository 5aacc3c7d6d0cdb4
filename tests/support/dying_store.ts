/** A store in memory that fails for good from a call on, before it or behind it, as one whose process ends. */

import { memoryStore } from "../../server/storage/stores/memory_store.ts";
import { StoreError } from "../../server/storage/stores/store.ts";
import { type RunCall, wrappedStore } from "./wrapped_store.ts";

/** Makes one that never fails; `state.left` is set to how many calls more it carries out. */
export function dyingStore() {
  const state = { left: Infinity, calls: 0 };
  const run: RunCall = async (call) => {
    state.calls++;
    if (state.left <= 0) throw new StoreError("unavailable", "It is gone");
    state.left--;
    return await call();
  };
  return { store: wrappedStore(memoryStore(), run), state };
}
