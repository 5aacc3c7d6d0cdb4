/** A store whose every call goes through one function, which may fail instead or afterwards. */

import type { Store } from "../../server/storage/stores/store.ts";

export type RunCall = <T>(call: () => Promise<T>) => Promise<T>;

export const wrappedStore = (store: Store, run: RunCall): Store => ({
  get: (key) => run(() => store.get(key)),
  getMany: (keys) => run(() => store.getMany(keys)),
  list: (prefix, options) => run(() => store.list(prefix, options)),
  commit: (commit) => run(() => store.commit(commit)),
  health: () => store.health(),
  close: () => store.close(),
});
