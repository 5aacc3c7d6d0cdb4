import assert from "node:assert/strict";
import { keyRecordSchema } from "../../shared/keys.ts";
import { readError } from "../support/call.ts";
import { createKey, manage, managed } from "../support/manage.ts";
import { asObject } from "../support/event_stream.ts";
import { startGateway } from "../support/gateway.ts";

const hashOf = async (text: string): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return digest.toHex();
};

Deno.test("POST /keys answers 201 with the record and, this once, the key", async () => {
  await using gateway = await startGateway();
  const { status, body } = await managed(gateway, { call: "POST /keys", body: { name: "Ada", limit: 12.5 } });
  assert.equal(status, 201);
  const record = keyRecordSchema.strict().parse(body.data);
  const key = String(body.key);
  assert.match(key, /^tg-api-[A-Za-z0-9_-]{43}$/);
  assert.equal(record.hash, await hashOf(key));
  assert.equal(record.label, `tg-api-...${key.slice(-3)}`);
  assert.deepEqual([record.limit, record.limit_remaining, record.limit_reset, record.updated_at], [
    12.5,
    12.5,
    null,
    null,
  ]);
  const shown = await managed(gateway, { call: `GET /keys/${record.hash}` });
  assert.deepEqual(shown.body, { data: record });
  assert.equal(JSON.stringify(shown.body).includes(key), false);
  const answer = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal((await answer.json()).data.label, record.label);
});

type Case = readonly [what: string, body: unknown, says: RegExp];
const wrong: readonly Case[] = [
  ["no name", {}, /name is missing/],
  ["an empty name", { name: "" }, /name is empty/],
  ["a long name", { name: "n".repeat(256) }, /name is 256 characters long; at most 255/],
  ["half a character", { name: "\ud800" }, /name holds half a character/],
  [
    "a negative limit",
    { name: "x", limit: -1 },
    /Cannot create key: limit is -1; allowed is 0 to 1000000000/,
  ],
  ["a large limit", { name: "x", limit: 1e9 + 1 }, /limit is 1000000001;/],
  ["ten decimals", { name: "x", limit: 0.0000000001 }, /limit is 1e-10;/],
  ["binary dust", { name: "x", limit: 0.1 + 0.2 }, /limit is 0.30000000000000004;/],
  ["a limit as text", { name: "x", limit: "5" }, /limit is "5"; a number is expected/],
  ["a limit without end", '{"name":"x","limit":1e999}', /limit is Infinity/],
  ["no number", '{"name":"x","limit":NaN}', /body is not valid JSON/],
  [
    "an unknown reset",
    { name: "x", limit_reset: "yearly" },
    /limit_reset is "yearly"; allowed: daily, weekly, monthly/,
  ],
  [
    "a moment without seconds",
    { name: "x", expires_at: "2099-01-01T00:00Z" },
    /expires_at is "2099-01-01T00:00Z"; allowed/,
  ],
  ["a moment without zone", { name: "x", expires_at: "2099-01-01T00:00:00" }, /expires_at is /],
  [
    "a moment in the past",
    { name: "x", expires_at: "2001-01-01T00:00:00Z" },
    /expires_at is .* in the future/,
  ],
  ["no such day", { name: "x", expires_at: "2099-02-30T00:00:00Z" }, /expires_at is /],
  ["an unknown field", { name: "x", role: "admin" }, /role is not a known key/],
  [
    "a workspace that is none",
    { name: "x", workspace_id: "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11" },
    /workspace_id is 0b0e7c1c/,
  ],
  ["no UUID", { name: "x", workspace_id: "default" }, /workspace_id is "default"/],
  ["an array", [], /body is an array/],
  ["nothing", "", /body is empty/],
];

Deno.test("POST /keys refuses with a sentence that names field and value", async () => {
  await using gateway = await startGateway();
  for (const [what, body, says] of wrong) {
    const error = await readError(await manage(gateway, { call: "POST /keys", body }));
    assert.equal(error.status, 400, what);
    assert.match(error.message, says, what);
  }
});

Deno.test("POST /keys keeps every limit that it takes to the nano-dollar", async () => {
  await using gateway = await startGateway();
  const limits = [0, 1e-9, 0.000000001, 0.1, 12.345678901, 9_000_000, 9_000_000.5, 999_999_999.999, 1e9];
  for (const limit of limits) {
    const { record } = await createKey(gateway, { limit });
    assert.deepEqual([record.limit, record.limit_remaining], [limit, limit]);
  }
});

Deno.test("PATCH /keys changes what is given, says when, and leaves the rest", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway, { limit: 5, limit_reset: "daily" });
  const path = `/keys/${record.hash}`;
  const nothing = await managed(gateway, { call: `PATCH ${path}`, body: {} });
  // An update always says when: as long as nothing has changed, when the key was made.
  const unchanged = { data: { ...record, updated_at: record.created_at } };
  assert.deepEqual([nothing.status, nothing.body], [200, unchanged]);
  const same = await managed(gateway, { call: `PATCH ${path}`, body: { name: record.name, limit: 5 } });
  assert.deepEqual(same.body, unchanged);
  const { body } = await managed(gateway, {
    call: `PATCH ${path}`,
    body: { name: "New", limit: null, limit_reset: null, include_byok_in_limit: true },
  });
  const changed = keyRecordSchema.parse(body.data);
  assert.notEqual(changed.updated_at, null);
  assert.deepEqual(changed, {
    ...record,
    name: "New",
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    include_byok_in_limit: true,
    updated_at: changed.updated_at,
  });
});

/** Bodies of PATCH, and the wishes for the response cache behind each; a text: why it is refused. */
const caching: readonly (readonly [object, readonly [boolean, number | null] | RegExp])[] = [
  [{ cache_enabled: true }, [true, null]],
  [{ cache_ttl_seconds: 60 }, [true, 60]],
  [{ cache_enabled: false }, [false, 60]],
  [{ cache_ttl_seconds: null }, [false, null]],
  [{ cache_enabled: true, cache_ttl_seconds: 86_400 }, [true, 86_400]],
  [{ cache_enabled: null }, /cache_enabled is null; true or false is expected/],
  [{ cache_enabled: "yes" }, /cache_enabled is "yes"; true or false is expected/],
  [{ cache_ttl_seconds: 0 }, /cache_ttl_seconds is 0; at least 1 is needed/],
  [{ cache_ttl_seconds: 86_401 }, /cache_ttl_seconds is 86401; at most 86400 is allowed/],
  [{ cache_ttl_seconds: 1.5 }, /cache_ttl_seconds is 1.5; a whole number is expected/],
];

Deno.test("a key's wishes for the response cache are set, changed, listed and kept by its successor", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway);
  const wishes = (data: unknown) => {
    const { cache_enabled, cache_ttl_seconds } = keyRecordSchema.parse(data);
    return [cache_enabled, cache_ttl_seconds];
  };
  assert.deepEqual(wishes(record), [false, null]);
  for (const [body, expected] of caching) {
    const call = { call: `PATCH /keys/${record.hash}`, body };
    if (expected instanceof RegExp) {
      const { status, message } = await readError(await manage(gateway, call));
      assert.equal(status, 400);
      assert.match(message, expected);
    } else {
      assert.deepEqual(wishes((await managed(gateway, call)).body.data), expected, JSON.stringify(body));
    }
  }
  const rotated = await managed(gateway, { call: `POST /keys/${record.hash}/rotate` });
  assert.deepEqual(wishes(rotated.body.data), [true, 86_400]);
  const made = await createKey(gateway, { cache_enabled: true, cache_ttl_seconds: 5 });
  assert.deepEqual(wishes(made.record), [true, 5]);
  const { body } = await managed(gateway, { call: "GET /audit?operation=keys.create" });
  assert.match(JSON.stringify(body), /"cache_enabled":true,"cache_ttl_seconds":5/);
});

Deno.test("PATCH /keys refuses everything but its seven fields", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway);
  const fields = [
    "expires_at",
    "workspace_id",
    "hash",
    "kind",
    "client_id",
    "external_user",
    "usage",
    "__proto__x",
  ];
  for (const field of fields) {
    const error = await readError(
      await manage(gateway, { call: `PATCH /keys/${record.hash}`, body: { [field]: null } }),
    );
    assert.deepEqual([error.status, error.message], [
      400,
      `Cannot update key: ${field} is not a known key`,
    ]);
  }
});

Deno.test("PATCH /keys with disabled closes the door with the next request, and opens it again", async () => {
  await using gateway = await startGateway();
  const { record, key } = await createKey(gateway);
  const status = async () => {
    const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await status(), 200);
  for (const [disabled, expected] of [[true, 401], [false, 200]] as const) {
    await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled } });
    assert.equal(await status(), expected);
  }
  const gone = await managed(gateway, { call: `DELETE /keys/${record.hash}` });
  assert.deepEqual([gone.status, gone.body], [200, { deleted: true }]);
  assert.equal(await status(), 401);
  assert.equal(await manageStatus(gateway, record.hash), 404);
});

async function manageStatus(gateway: Parameters<typeof manage>[0], hash: string): Promise<number> {
  return (await readError(await manage(gateway, { call: `DELETE /keys/${hash}` }))).status;
}

Deno.test("PATCH /keys loses no update of a hundred at once", async () => {
  await using gateway = await startGateway();
  const { record } = await createKey(gateway);
  const path = `/keys/${record.hash}`;
  const bodies = Array.from({ length: 100 }, (_, at) =>
    [
      { name: `Name ${at}` },
      { limit: at + 1 },
      { include_byok_in_limit: true },
      { limit_reset: "weekly" },
    ][at % 4]);
  const answers = await Promise.all(bodies.map((body) => managed(gateway, { call: `PATCH ${path}`, body })));
  assert(answers.every(({ status }) => status === 200));
  const { body } = await managed(gateway, { call: `GET ${path}` });
  const kept = keyRecordSchema.parse(body.data);
  assert.match(kept.name, /^Name \d+$/);
  assert.deepEqual([kept.include_byok_in_limit, kept.limit_reset, typeof kept.limit], [
    true,
    "weekly",
    "number",
  ]);
});

Deno.test("GET /keys pages by a hundred, the youngest first, without the disabled ones", async () => {
  await using gateway = await startGateway();
  for (let at = 0; at < 105; at++) await createKey(gateway, { name: `Key ${at}` });
  const { record } = await createKey(gateway, { name: "Off" });
  await managed(gateway, { call: `PATCH /keys/${record.hash}`, body: { disabled: true } });
  const names = async (query: string) => {
    const { body } = await managed(gateway, { call: `GET /keys${query}` });
    return keyRecordSchema.array().parse(body.data).map(({ name }) => name);
  };
  const first = await names("");
  assert.equal(first.length, 100);
  assert.equal(first.includes("Off"), false);
  const rest = await names("?offset=100");
  assert.equal(rest.length, 6);
  assert.equal(new Set([...first, ...rest]).size, 106);
  assert.equal(rest.at(-1), "First API key");
  assert.equal((await names("?include_disabled=true")).includes("Off"), true);
  assert.deepEqual(await names("?offset=1000"), []);
  assert.deepEqual(await names("?workspace_id=0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11"), []);
});

Deno.test("GET /keys refuses odd questions", async () => {
  await using gateway = await startGateway();
  for (
    const query of [
      "?offset=-1",
      "?offset=x",
      "?offset=1&offset=2",
      "?include_disabled=1",
      "?workspace_id=no",
      ...["workspace_id=all", "q=Key", "sort=name", "cursor=x"].map((more) => `?${more}&offset=1`),
    ]
  ) {
    assert.equal((await readError(await manage(gateway, { call: `GET /keys${query}` }))).status, 400, query);
  }
});

Deno.test("/keys/{hash} knows no management key, and nothing malformed", async () => {
  await using gateway = await startGateway();
  const hashes = [
    await hashOf(gateway.managementKey),
    await hashOf("nobody"),
    "x",
    "a".repeat(5_000),
    "%2F",
    "é",
  ];
  const bodies = new Set<string>();
  for (const hash of hashes) {
    for (const method of ["GET", "PATCH", "DELETE"] as const) {
      const body = method === "PATCH" ? {} : undefined;
      const error = await readError(await manage(gateway, { call: `${method} /keys/${hash}`, body }));
      assert.equal(error.status, 404, `${method} ${hash.slice(0, 20)}`);
      bodies.add(JSON.stringify(error.body));
    }
  }
  assert.equal(bodies.size, 1);
});

Deno.test("POST /keys/{hash}/rotate gives a new text; the old one lives as long as it is told to", async () => {
  await using gateway = await startGateway();
  const { record, key } = await createKey(gateway, { limit: 3, limit_reset: "monthly" });
  const rotate = (hash: string, body?: unknown) =>
    managed(gateway, { call: `POST /keys/${hash}/rotate`, body });
  const status = async (token: string) => {
    const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${token}` } });
    await response.body?.cancel();
    return response.status;
  };
  const long = await rotate(record.hash, { overlap_seconds: 600 });
  assert.equal(long.status, 201);
  const next = keyRecordSchema.parse(long.body.data);
  assert.deepEqual([next.name, next.limit, next.limit_reset, next.expires_at], [
    record.name,
    3,
    "monthly",
    null,
  ]);
  assert.deepEqual([await status(key), await status(String(long.body.key))], [200, 200]);
  const now = await rotate(next.hash);
  assert.equal(now.status, 201);
  assert.deepEqual([await status(String(long.body.key)), await status(String(now.body.key))], [401, 200]);
  assert.equal((await rotate(next.hash)).status, 400);
  for (const overlap_seconds of [-1, 604_801, 1.5, "5"]) {
    assert.equal((await rotate(record.hash, { overlap_seconds })).status, 400);
  }
});

Deno.test("POST /keys makes a key in the workspace that is named, however its UUID is written", async () => {
  await using gateway = await startGateway();
  const made = await managed(gateway, { call: "POST /workspaces", body: { name: "W", slug: "w" } });
  const id = String(asObject(made.body.data).id);
  for (const workspace_id of [id, id.toUpperCase()]) {
    assert.equal((await createKey(gateway, { workspace_id })).record.workspace_id, id);
    const { body } = await managed(gateway, { call: `GET /keys?workspace_id=${workspace_id}` });
    assert(keyRecordSchema.array().parse(body.data).length > 0);
  }
});

Deno.test("POST and GET /keys ask for a workspace once the default one is gone", async () => {
  await using gateway = await startGateway();
  const listed = await managed(gateway, { call: "GET /keys" });
  for (const { hash } of keyRecordSchema.array().parse(listed.body.data)) {
    await managed(gateway, { call: `DELETE /keys/${hash}` });
  }
  const drop = "DELETE /workspaces/default?confirm_default_workspace_deletion=true";
  assert.deepEqual((await managed(gateway, { call: drop })).body, { deleted: true });
  for (const call of ["POST /keys", "GET /keys", "POST /connect/clients"]) {
    const body = call.startsWith("POST") ? { name: "x" } : undefined;
    const error = await readError(await manage(gateway, { call, body }));
    assert.deepEqual([error.status, /workspace_id is missing/.test(error.message)], [400, true], call);
  }
});
