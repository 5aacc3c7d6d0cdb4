/** The access log: off by default; a line for every request, without query, headers or content. */

import assert from "node:assert/strict";
import * as z from "zod";
import { bearer } from "../support/bad_credentials.ts";
import { ask } from "../support/call.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const lineSchema = z.strictObject({
  time: z.iso.datetime(),
  level: z.literal("info"),
  message: z.literal("Request"),
  request: z.string().regex(/^req_[\da-f]{32}$/),
  generation: z.string().regex(/^gen-[\da-f]{32}$/).optional(),
  method: z.string(),
  path: z.string().max(256),
  operation: z.string(),
  status: z.int(),
  ms: z.number(),
  own_ms: z.number(),
  upstream_ms: z.number(),
  address: z.literal("127.0.0.1"),
});

const linesOf = ({ logged }: Gateway) =>
  logged.filter((line) => line.includes('"message":"Request"')).map((line) =>
    lineSchema.parse(JSON.parse(line))
  );

async function askAll(gateway: Gateway): Promise<void> {
  const get = async (path: string, headers = bearer(gateway.managementKey)) =>
    await (await fetch(gateway.url + path, { headers })).body?.cancel();
  await (await ask(gateway, { model: "local/echo", input: "a-secret-text" })).body?.cancel();
  await get("/v1/keys?name=a-secret-text");
  await get("/v1/models", bearer("a-secret-text"));
  await get(`/${"long".repeat(100)}`);
}

Deno.test("the access log has a line a request where it is on, and none else", async () => {
  await using off = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  await askAll(off);
  assert.deepEqual(linesOf(off), []);
  await using on = await startGateway({ env: { TOLLGATE_LOCAL: "on", TOLLGATE_ACCESS_LOG: "on" } });
  await askAll(on);
  const told = linesOf(on).map(({ method, path, operation, status }) => [method, path, operation, status]);
  assert.deepEqual(told.slice(0, 3), [
    ["POST", "/v1/responses", "create_response", 200],
    ["GET", "/v1/keys", "other", 200],
    ["GET", "/v1/models", "models", 401],
  ]);
  assert.deepEqual([told.length, told[3]?.[3]], [4, 404]);
  assert.equal(linesOf(on).filter(({ generation }) => generation !== undefined).length, 1);
  assert.doesNotMatch(on.logged.join("\n"), /a-secret-text/);
});
