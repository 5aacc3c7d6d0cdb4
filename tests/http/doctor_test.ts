/** Tests the checks that a gateway makes of itself for managers. */

import assert from "node:assert/strict";
import { startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { signedIn } from "../support/console_client.ts";

const checksOf = (data: unknown): readonly { check: string; verdict: string; found: string }[] =>
  Object(data).checks;

Deno.test("the checks are run by a manager, and the last report stays to be read", async () => {
  const env = { OPENAI_API_KEY: "planted0123456789Secret", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
  await using gateway = await startGateway({ env });
  const before = await managed(gateway, { call: "GET /doctor" });
  assert.deepEqual(before.body, { data: null, running: false });
  const { status, body } = await managed(gateway, { call: "POST /doctor" });
  assert.equal(status, 200, JSON.stringify(body));
  const names = new Set(checksOf(body.data).map(({ check }) => check));
  for (
    const name of [
      ...["settings", "store", "catalog", "scores", "retirements", "key of OpenAI", "moderation"],
      ...["endpoints", "containers", "content filters"],
    ]
  ) {
    assert(names.has(name), name);
  }
  assert(!JSON.stringify(body).includes("planted"), "no key goes out");
  const after = await managed(gateway, { call: "GET /doctor" });
  assert.deepEqual(after.body.data, body.data);
  const { body: log } = await managed(gateway, { call: "GET /audit?operation=doctor.run" });
  assert.equal(log.total_count, 1);
});

Deno.test("content filters that would be refused, and workspaces without their service, are found", async () => {
  await using gateway = await startGateway();
  const plugins = { default_plugins: [{ id: "moderation", locked: true }] };
  await managed(gateway, { call: "PATCH /workspaces/default", body: plugins });
  const { body } = await managed(gateway, { call: "POST /doctor" });
  const found = checksOf(body.data).find(({ check, verdict }) =>
    check === "moderation" && verdict === "failed"
  );
  assert.match(found?.found ?? "", /every request of the workspaces default is refused/);
});

Deno.test("a session of each kind runs and reads checks as its key may", async () => {
  await using gateway = await startGateway();
  const fields = { name: "Looks", read_only: true };
  const { body } = await managed(gateway, { call: "POST /management-keys", body: fields });
  const expected = [[gateway.managementKey, 200, 200], [String(body.key), 200, 403], [
    gateway.apiKey,
    403,
    403,
  ]] as const;
  for (const [key, reads, runs] of expected) {
    const client = await signedIn(gateway, key);
    assert.equal((await client.answer({ call: "GET /api/doctor" })).status, reads);
    assert.equal((await client.answer({ call: "POST /api/doctor" })).status, runs);
  }
});
