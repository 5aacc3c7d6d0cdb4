/** `GET /settings` over HTTP: what is in force, and no secret of it. */

import assert from "node:assert/strict";
import { signedIn } from "../support/console_client.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";

const SECRET = "planted0123456789Secret";

Deno.test("GET /settings tells managers what is in force, where from, and no secret", async () => {
  await using gateway = await startGateway({
    providers: [providerAt("http://127.0.0.1:9", { headers: { "x-team": SECRET } })],
    env: { OPENAI_API_KEY: SECRET, HTTPS_PROXY: `http://user:${SECRET}@127.0.0.1:9`, TOLLGATE_CORS: "off" },
    limits: { attempts: 2 },
  });
  const { status, body } = await managed(gateway, { call: "GET /settings" });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(JSON.stringify(body).includes(SECRET), false);
  const { settings, store, data_folder } = asObject(body.data);
  const told = new Map(asList(settings).map(asObject).map((one) => [String(one.name), one]));
  const of = (name: string) => [told.get(name)?.value, asObject(told.get(name)?.source).type];
  assert.deepEqual(of("OPENAI_API_KEY"), ["set", "environment"]);
  assert.deepEqual(of("MOCK_KEY"), ["set", "environment"]);
  assert.deepEqual(of("HTTPS_PROXY"), ["set", "environment"]);
  assert.deepEqual(of("TOLLGATE_CORS"), ["off", "environment"]);
  assert.deepEqual(of("providers[0].headers.x-team"), ["set", "file"]);
  assert.deepEqual(of("limits.attempts"), [2, "file"]);
  assert.equal(asObject(store).kind, "embedded");
  assert.equal(typeof asObject(data_folder).path, "string");
  const client = await signedIn(gateway);
  assert.deepEqual((await client.answer({ call: "GET /api/settings" })).body, body);
  const holder = await managed(gateway, { call: "GET /settings", token: gateway.apiKey });
  assert.equal(holder.status, 403);
});
