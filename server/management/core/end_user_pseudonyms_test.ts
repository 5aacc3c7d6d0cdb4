import assert from "node:assert/strict";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { createPseudonymizer } from "./end_user_pseudonyms.ts";

const runtime = (secret: string) => ({ randomToken: () => secret.repeat(43) });

Deno.test("createPseudonymizer names a user the same way at every start, and another way to each provider", async () => {
  const store = memoryStore();
  const name = await createPseudonymizer(store, runtime("a"));
  const later = await createPseudonymizer(store, runtime("b"));
  const user = { providerId: "openai", workspaceId: "w", user: "ada@example.com" };
  assert.match(name(user), /^[0-9a-f]{64}$/);
  assert.equal(later(user), name(user));
  const others = [{ ...user, providerId: "acme" }, { ...user, workspaceId: "v" }, {
    ...user,
    user: undefined,
  }];
  const names = new Set([user, ...others].map(name));
  assert.equal(names.size, 4);
  const elsewhere = await createPseudonymizer(memoryStore(), runtime("b"));
  assert.notEqual(elsewhere(user), name(user));
});
