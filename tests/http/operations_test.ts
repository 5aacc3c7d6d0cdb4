import assert from "node:assert/strict";
import * as z from "zod";
import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { readError } from "../support/call.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { namingQuery } from "../support/naming_query.ts";
import { bearer, nobodies, type Nobody } from "../support/bad_credentials.ts";

/** Verdict on a credential of a kind: let in, or refused with a status before anything else is looked at. */
type Verdict = "in" | 401 | 403;
interface Line {
  readonly api: Verdict;
  readonly management: Verdict;
  readonly client: Verdict;
}

const managers: Line = { api: 403, management: "in", client: 403 };
const holders: Line = { api: "in", management: "in", client: 403 };

/** SECURITY.md, Authorization, told a second time and by hand: an operation that is new needs a line here. */
const matrix: Readonly<Record<string, Line>> = {
  "keys.list": managers,
  "keys.export": managers,
  "keys.create": { ...managers, client: "in" },
  "keys.get": managers,
  "keys.update": { api: 401, management: "in", client: "in" },
  "keys.update_many": managers,
  "keys.delete": { api: 401, management: "in", client: "in" },
  "keys.rotate": managers,
  "keys.rate_limits.get": managers,
  "keys.rate_limits.set": managers,
  "management_keys.list": managers,
  "management_keys.create": managers,
  "management_keys.update": managers,
  "management_keys.delete": managers,
  "clients.list": managers,
  "clients.create": managers,
  "clients.delete": managers,
  "clients.rotate": managers,
  "clients.revoke": managers,
  "audit.list": managers,
  "audit.export": managers,
  "workspaces.list": managers,
  "workspaces.create": managers,
  "workspaces.get": managers,
  "workspaces.update": managers,
  "workspaces.delete": managers,
  "workspaces.members.list": managers,
  "workspaces.members.add": managers,
  "workspaces.members.remove": managers,
  "workspaces.rate_limits.get": managers,
  "workspaces.rate_limits.set": managers,
  "budgets.list": managers,
  "budgets.get": managers,
  "budgets.set": managers,
  "budgets.delete": managers,
  "guardrails.list": managers,
  "guardrails.create": managers,
  "guardrails.assignments.keys.all": managers,
  "guardrails.assignments.members.all": managers,
  "guardrails.get": managers,
  "guardrails.update": managers,
  "guardrails.delete": managers,
  "guardrails.test": managers,
  "guardrails.assignments.keys.list": managers,
  "guardrails.assignments.keys.add": managers,
  "guardrails.assignments.keys.remove": managers,
  "guardrails.assignments.members.list": managers,
  "guardrails.assignments.members.add": managers,
  "guardrails.assignments.members.remove": managers,
  "presets.list": managers,
  "presets.get": managers,
  "presets.save.chat": managers,
  "presets.save.responses": managers,
  "presets.save.messages": managers,
  "presets.update": managers,
  "presets.delete": managers,
  "presets.versions.list": managers,
  "presets.versions.get": managers,
  "destinations.list": managers,
  "destinations.create": managers,
  "destinations.get": managers,
  "destinations.update": managers,
  "destinations.test": managers,
  "destinations.delete": managers,
  "classifiers.list": managers,
  "classifiers.create": managers,
  "classifiers.get": managers,
  "classifiers.update": managers,
  "classifiers.delete": managers,
  "byok.list": managers,
  "byok.create": managers,
  "byok.get": managers,
  "byok.update": managers,
  "byok.delete": managers,
  "credits.get": managers,
  "credits.add": managers,
  "credits.clear": managers,
  "credits.history": managers,
  "files.upload": holders,
  "files.list": holders,
  "files.search": managers,
  "files.get": holders,
  "files.delete": holders,
  "files.content": managers,
  "files.text": managers,
  "containers.list": holders,
  "containers.delete": holders,
  "containers.files.list": holders,
  "containers.files.get": holders,
  "containers.files.delete": holders,
  "containers.files.promote": holders,
  "containers.files.content": managers,
  "generations.get": holders,
  "generations.content": holders,
  "generations.feedback": managers,
  "key.receipts": holders,
  "receipts.list": managers,
  "receipts.export": managers,
  "receipts.tail": managers,
  "receipts.groups": managers,
  "receipts.histogram": managers,
  "activity.list": managers,
  "key.usage": holders,
  "keys.usage": managers,
  "analytics.meta": managers,
  "analytics.query": managers,
  "analytics.export": managers,
  "reload": managers,
  "status.get": managers,
  "attention.get": managers,
  "attention.workspaces": managers,
  "alerts.list": managers,
  "models.list": managers,
  "providers.test": managers,
  "playground.key": holders,
  "settings.get": managers,
  "backup.get": managers,
  "doctor.get": managers,
  "doctor.run": managers,
};

/** Path parameters that name nothing. */
const absent: Readonly<Record<string, string>> = {
  hash: "0".repeat(64),
  id: "00000000-0000-4000-8000-000000000000",
  interval: "daily",
  file_id: `tg_file_${"0".repeat(32)}`,
};

const rows = Object.entries(managementApi).map(([id, { method, path }]) => ({
  id,
  method,
  path: path.replaceAll(/:(\w+)/g, (_, name: string) => absent[name] ?? "none") + namingQuery(id),
}));
type Row = typeof rows[number];

interface Sent {
  readonly headers: Nobody;
  readonly body?: string;
  readonly base?: string;
}

/** Inside the process: the socket adds nothing here but time. */
function send(
  { app }: Gateway,
  { method, path }: Row,
  { headers, body, base = "/v1" }: Sent,
): Promise<Response> {
  const text = method === "GET" ? undefined : body ?? "{}";
  return app.fetch(
    new Request(`http://localhost${base}${path}`, {
      method,
      headers: { host: "localhost", "content-type": "application/json", ...headers },
      body: text,
    }),
    "127.0.0.1",
  );
}

Deno.test("every operation of the table has its line in the matrix, and says the same", () => {
  for (const [id, row] of Object.entries(managementApi)) {
    const line = matrix[id];
    assert(line, `${id} has no line in this test's matrix: say who may`);
    const let_in = (["api", "management", "client"] as const).filter((kind) => line[kind] === "in");
    assert.deepEqual([...row.who].sort(), let_in.sort(), id);
  }
  assert.deepEqual(
    Object.keys(matrix).filter((id) => !(id in managementApi)),
    [],
    "lines of operations that are gone",
  );
});

Deno.test("every operation judges the kind of credential before it reads anything else", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, { call: "POST /connect/clients", body: { name: "App" } });
  const tokens = { api: gateway.apiKey, management: gateway.managementKey, client: String(body.secret) };
  for (const row of rows) {
    for (const kind of ["api", "management", "client"] as const) {
      for (const base of ["/v1", "/api/v1"]) {
        const headers = bearer(tokens[kind]);
        const response = await send(gateway, row, { headers, body: "not JSON", base });
        const verdict = matrix[row.id]?.[kind];
        const what = `${kind} at ${row.id}`;
        if (verdict === "in") {
          assert.equal([401, 403].includes(response.status), false, what);
          assert(response.status < 500, `${what}: ${response.status}`);
          await response.body?.cancel();
          continue;
        }
        const error = await readError(response);
        assert.equal(error.status, verdict, what);
        assert.equal(JSON.stringify(error.body).includes(tokens[kind]), false);
      }
    }
  }
});

Deno.test("every operation answers everything that is no key with one and the same 401", async () => {
  await using gateway = await startGateway();
  const bodies = new Set<string>();
  for (const [what, headers] of Object.entries(await nobodies(gateway))) {
    for (const row of rows) {
      // Anthropic's clients send keys so to its APIs of files and models.
      if ("x-api-key" in headers && /^\/(?:files|models)\b/.test(row.path)) continue;
      const error = await readError(await send(gateway, row, { headers, body: "not JSON" }));
      assert.equal(error.status, 401, `${what} at ${row.id}`);
      bodies.add(JSON.stringify(error.body));
    }
  }
  assert.equal(bodies.size, 1);
});

Deno.test("every operation that changes something refuses a read-only management key", async () => {
  await using gateway = await startGateway();
  const { body } = await managed(gateway, {
    call: "POST /management-keys",
    body: { name: "Reader", read_only: true },
  });
  const headers = bearer(String(body.key));
  for (const row of rows) {
    const operation: Pick<ManagementOperation, "method" | "reads" | "tellsAll"> =
      managementApi[row.id as keyof typeof managementApi];
    const { status, body } = await send(gateway, row, { headers });
    await body?.cancel();
    const looks = (operation.method === "GET" && operation.tellsAll !== true) || operation.reads === true;
    assert.equal([401, 403].includes(status), !looks && matrix[row.id]?.management === "in", row.id);
  }
});

Deno.test("every operation answers a path parameter in any form without a 5xx", async () => {
  await using gateway = await startGateway();
  const odd = [
    "x",
    "%2F",
    "%E4%BD%A0",
    "a".repeat(3_000),
    "null",
    "0",
    "-1",
    "%F0%9F%92%A9",
    "constructor",
    "~",
  ];
  for (const row of rows.filter(({ path }) => Object.values(absent).some((name) => path.includes(name)))) {
    for (const value of odd) {
      const path = Object.values(absent).reduce((known, name) => known.replaceAll(name, value), row.path);
      const { status, body } = await send(gateway, { ...row, path }, {
        headers: bearer(gateway.managementKey),
      });
      await body?.cancel();
      assert(status >= 200 && status < 500, `${row.id} answers ${value.slice(0, 20)} with ${status}`);
    }
  }
});

Deno.test("every list that is narrowed to a workspace takes its UUID in any case, and nothing else", async () => {
  await using gateway = await startGateway();
  const { record: { workspace_id } } = await createKey(gateway);
  const at = async (path: string, workspace: string) =>
    await managed(gateway, { call: `GET ${path}?workspace_id=${encodeURIComponent(workspace)}` });
  const lists = Object.values<ManagementOperation>(managementApi).filter(({ method, path, query, output }) =>
    typeof output !== "string" &&
    // Files and containers are in a workspace, which may be named by its slug too.
    method === "GET" && query instanceof z.ZodObject && "workspace_id" in query.shape &&
    !path.includes(":") && !path.startsWith("/files") && !path.startsWith("/containers")
  );
  assert(lists.length >= 7, "each list that can be narrowed is there");
  for (const { path } of lists) {
    const [lower, upper] = await Promise.all([
      at(path, String(workspace_id)),
      at(path, String(workspace_id).toUpperCase()),
    ]);
    assert.equal(lower.status, 200, path);
    assert.deepEqual(upper.body, lower.body, path);
    assert.deepEqual((await at(path, "")).status, 200, path);
    const wrong = await at(path, "default");
    assert.equal(wrong.status, 400, path);
    assert.match(JSON.stringify(wrong.body), /workspace_id is .*"default.*; a UUID is expected/);
  }
});

Deno.test("a path that is there says which methods it takes", async () => {
  await using gateway = await startGateway();
  const { app, managementKey } = gateway;
  const hintOf = async (call: string) => {
    const [method = "", path = ""] = call.split(" ", 2);
    const headers = { host: "localhost", ...bearer(managementKey) };
    const response = await app.fetch(
      new Request(`http://localhost${path}`, { method, headers }),
      "127.0.0.1",
    );
    const { status, message } = await readError(response);
    assert.equal(status, 404);
    return message;
  };
  assert.match(await hintOf("PUT /v1/keys"), /This path takes GET and POST and PATCH\.$/);
  assert.match(await hintOf("POST /api/v1/keys/abc"), /This path takes GET and PATCH and DELETE\.$/);
  assert.equal((await hintOf("GET /v1/keys/abc/def/ghi")).includes("This path takes"), false);
  const head = await app.fetch(
    new Request("http://localhost/v1/keys", {
      method: "HEAD",
      headers: { host: "localhost", ...bearer(managementKey) },
    }),
    "127.0.0.1",
  );
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});
