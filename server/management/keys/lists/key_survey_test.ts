import assert from "node:assert/strict";
import { memoryClock } from "../../../../tests/support/clock.ts";
import { memoryStore } from "../../../storage/stores/memory_store.ts";
import type { Store } from "../../../storage/stores/store.ts";
import { newKeyRow } from "../key_rows.ts";
import { keyPuts } from "./key_index.ts";
import { KeySurveys } from "./key_survey.ts";

const workspaceId = "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11";
const everyKey = { byFacts: () => true };

Deno.test("KeySurveys counts once for many lists, and lets no list wait long for it", async () => {
  const kept = memoryStore();
  const clock = memoryClock();
  let walks = 0;
  let held = Promise.resolve();
  const store: Store = {
    get: (key) => kept.get(key),
    getMany: (keys) => kept.getMany(keys),
    commit: (commit) => kept.commit(commit),
    health: () => kept.health(),
    close: () => kept.close(),
    list: async (prefix, options) => {
      walks++;
      await held;
      return await kept.list(prefix, options);
    },
  };
  let version = "one";
  const cacheVersions = { version: () => Promise.resolve(version) };
  const surveys = new KeySurveys({ store, runtime: { clock }, cacheVersions });
  const write = (token: string) =>
    store.commit({
      puts: keyPuts(store, newKeyRow({ kind: "api", token, name: token, workspaceId }, 1_000)),
    });
  await write("a");
  assert.equal(await surveys.count([workspaceId], everyKey), 1);
  assert.equal(await surveys.count([workspaceId], everyKey), 1);
  assert.equal(walks, 1);
  await write("b");
  version = "two";
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const counting = surveys.count([workspaceId], everyKey);
  await clock.advance(200);
  assert.equal(await counting, null, "a list does not wait for it");
  resolve();
  assert.equal(await surveys.count([workspaceId], everyKey), 2);
  assert.equal(walks, 2);
});
