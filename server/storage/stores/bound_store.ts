/** Stores made of other stores. */

import type { Store } from "./store.ts";

/** A store's methods as an object's own, so that one of them can be put in place of another. */
export function bindStore(store: Store): Store {
  return {
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (prefix, options) => store.list(prefix, options),
    commit: (commit) => store.commit(commit),
    get lost() {
      return store.lost;
    },
    health: () => store.health(),
    listen: store.listen?.bind(store),
    close: () => store.close(),
  };
}
