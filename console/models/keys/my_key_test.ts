import assert from "node:assert/strict";
import { firstModel } from "./my_key.ts";

Deno.test("firstModel names a model that the key may call", () => {
  assert.equal(firstModel(["acme/one", "local/echo"]), "local/echo");
  assert.equal(firstModel(["acme/one", "acme/two"]), "acme/one");
  assert.equal(firstModel([]), undefined);
});
