/** Tests the access to `/console/api` (SECURITY.md, Console). */

import assert from "node:assert/strict";
import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { type ConsoleCall, ConsoleClient, signedIn } from "../support/console_client.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { namingQuery } from "../support/naming_query.ts";
import { managed } from "../support/manage.ts";

const change = { call: "POST /api/keys", body: { name: "One more" } };

async function statusOf(client: ConsoleClient, call: ConsoleCall): Promise<number> {
  const response = await client.send(call);
  await response.body?.cancel();
  return response.status;
}

Deno.test("a change needs the session's cookie, its own origin and its X-CSRF", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const other = await signedIn(gateway);
  const cases: readonly (readonly [ConsoleCall["headers"], number])[] = [
    [{}, 201],
    [{ origin: undefined }, 201],
    [{ "sec-fetch-site": undefined }, 201],
    [{ cookie: undefined }, 401],
    [{ "x-csrf": undefined }, 403],
    [{ "x-csrf": "" }, 403],
    [{ "x-csrf": other.session?.csrf }, 403],
    [{ origin: "http://evil.example", "sec-fetch-site": "cross-site" }, 403],
    [{ origin: "http://evil.example", "sec-fetch-site": undefined }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ origin: undefined, "sec-fetch-site": undefined }, 403],
    [{ authorization: `Bearer ${gateway.managementKey}` }, 403],
    [{ authorization: `Bearer ${gateway.managementKey}`, cookie: undefined }, 403],
    [{ cookie: `${client.cookie}; ${other.cookie}` }, 401],
  ];
  for (const [headers, status] of cases) {
    assert.equal(await statusOf(client, { ...change, headers }), status, JSON.stringify(headers));
  }
});

Deno.test("reading needs no X-CSRF, also from the address bar, and never works from another page", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const read = { call: "GET /api/keys" };
  assert.equal(await statusOf(client, read), 200);
  assert.equal(await statusOf(client, { ...read, headers: { "sec-fetch-site": "none" } }), 200);
  for (const site of ["cross-site", "same-site", undefined]) {
    assert.equal(await statusOf(client, { ...read, headers: { "sec-fetch-site": site } }), 403, site);
  }
});

Deno.test("the cookie is nothing below /v1, and models are not called below /console", async () => {
  await using gateway = await startGateway();
  const client = await signedIn(gateway);
  const request = new Request("http://localhost/v1/keys", {
    headers: { host: "localhost", cookie: client.cookie ?? "" },
  });
  const response = await gateway.app.fetch(request, "127.0.0.1");
  await response.body?.cancel();
  assert.equal(response.status, 401);
  const body = { model: "local/echo", input: "Hi" };
  assert.equal(await statusOf(client, { call: "POST /api/responses", body }), 404);
});

Deno.test("signing in from another page is refused", async () => {
  await using gateway = await startGateway();
  const body = { key: gateway.managementKey };
  const headers = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
  assert.equal(await statusOf(new ConsoleClient(gateway), { call: "POST /session", body, headers }), 403);
});

/** Path parameters that name nothing. */
const absent: Readonly<Record<string, string>> = {
  hash: "0".repeat(64),
  id: "00000000-0000-4000-8000-000000000000",
  interval: "daily",
  file_id: `tg_file_${"0".repeat(32)}`,
};

const rows: readonly (readonly [string, ManagementOperation])[] = Object.entries(managementApi);

async function readOnlyKey(gateway: Gateway): Promise<string> {
  const { body } = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "Looks", read_only: true },
  });
  return String(body.key);
}

Deno.test("a session of each kind may do of every operation what its key may", async () => {
  await using gateway = await startGateway();
  const keys = [gateway.managementKey, await readOnlyKey(gateway), gateway.apiKey];
  const clients = await Promise.all(keys.map((key) => signedIn(gateway, key)));
  for (const [id, { method, path, who, reads, tellsAll }] of rows) {
    const named = path.replaceAll(/:(\w+)/g, (_, name: string) => absent[name] ?? "none");
    const call = `${method} /api${named}${namingQuery(id)}`;
    const looks = (method === "GET" && tellsAll !== true) || reads === true;
    for (const [at, client] of clients.entries()) {
      const refused = at === 2 ? !who.includes("api") : !who.includes("management") || (at === 1 && !looks);
      const body = method === "GET" ? undefined : {};
      const status = await statusOf(client, { call, body });
      // An operation that lists no 403 says 401 (specification, PATCH /keys/{hash}).
      assert.equal([401, 403].includes(status), refused, `${id}, client ${at}: ${status}`);
    }
  }
});
