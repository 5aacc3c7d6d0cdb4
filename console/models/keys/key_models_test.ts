import assert from "node:assert/strict";
import { ApiFailure, type ConsoleApi } from "../../api.ts";
import { keyModels } from "./key_models.ts";

type Send = ConsoleApi["send"];

Deno.test("keyModels asks with the key itself what it may call, and again when that may have changed", async () => {
  const calls: unknown[] = [];
  let ids = ["acme/one", "acme/two"];
  const send: Send = (...[method, address, options]) => {
    calls.push([method, address, options?.headers]);
    return Promise.resolve(Response.json({ data: ids.map((id) => ({ id })) }));
  };
  const models = keyModels("tg-api-1", { api: { send } });
  await models.load();
  assert.deepEqual(models.data.value, ["acme/one", "acme/two"]);
  assert.deepEqual(calls, [["GET", "/v1/models/user", { authorization: "Bearer tg-api-1" }]]);
  ids = ["acme/two"];
  await models.load();
  assert.deepEqual(models.data.value, ["acme/two"]);
});

Deno.test("keyModels knows no model, and why, where the gateway refuses the key", async () => {
  const send: Send = () => {
    const body = { error: { message: "No valid key was given." } };
    return Promise.reject(new ApiFailure(new Response(null, { status: 401 }), body));
  };
  const models = keyModels("tg-api-1", { api: { send } });
  await models.load();
  assert.equal(models.data.value, undefined);
  assert.equal(models.failure.value?.message, "No valid key was given.");
});
