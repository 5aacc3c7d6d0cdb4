/** The store that Deno Deploy assigns: Deno KV, over KV Connect. */

import { createClock } from "../../server/runtime.ts";
import { denoKvStore } from "../../server/storage/stores/embedded/deno_kv_store.ts";
import { withStoreDeadline } from "../../server/storage/stores/store_deadline.ts";
import type { Store } from "../../server/storage/stores/store.ts";
import { startKvConnect } from "../deno_deploy/kv_connect.ts";

/** A database of its own, empty, which ends with the store. */
export async function assignedStore(): Promise<Store> {
  const database = startKvConnect();
  const { DENO_KV_DEFAULT_PATH: url, DENO_KV_ACCESS_TOKEN: token = "" } = database.env;
  Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  const clock = createClock();
  const kv = denoKvStore({ kv: await Deno.openKv(url), clock, maxChecks: 10 });
  const store = withStoreDeadline(kv, { clock });
  return {
    get: store.get.bind(store),
    getMany: store.getMany.bind(store),
    list: store.list.bind(store),
    commit: store.commit.bind(store),
    health: store.health.bind(store),
    close: async () => {
      await store.close();
      await database.close();
    },
  };
}
