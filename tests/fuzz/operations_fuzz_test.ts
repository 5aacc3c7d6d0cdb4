/** Random bodies and queries against every management operation: each is answered, none is our fault. */

import assert from "node:assert/strict";
import * as z from "zod";
import { managementApi } from "../../shared/management/api.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { asObject, isObject } from "../support/event_stream.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { type Random, seeded } from "./random.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

const rows: readonly (readonly [string, ManagementOperation])[] = Object.entries(managementApi);

/** Names that the row's schema knows, at any depth. */
function namesOf(schema: z.ZodType | undefined): readonly string[] {
  if (schema === undefined) return [];
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isObject(value)) return;
    if (isObject(value.properties)) Object.keys(value.properties).forEach((name) => names.add(name));
    Object.values(value).forEach(visit);
  };
  visit(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
  return [...names];
}

const texts = [
  "",
  "x",
  "default",
  "daily",
  "monthly",
  "true",
  "2099-01-01T00:00:00Z",
  "2099-13-01T00:00:00Z",
  "0b0e7c1c-9a51-4d43-8f4b-0d2f4d0f9b11",
  "0".repeat(64),
  "é🎉",
  "\ud800",
  "a\0b",
  "../../etc",
  "__proto__",
  "a-slug",
  "a".repeat(300),
  "z".repeat(70_000),
  "openai",
  "acme/*",
  "[(+*",
];
const numbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e-9,
  1e-10,
  5,
  100,
  101,
  1e9,
  1e9 + 1,
  1e18,
  1e300,
  2 ** 53,
  9_000_000.000000001,
];

function value(random: Random, depth = 0): unknown {
  const kinds = depth > 2 ? 5 : 7;
  switch (random.below(kinds)) {
    case 0:
      return null;
    case 1:
      return random.below(2) === 0;
    case 2:
      return random.pick(numbers);
    case 3:
    case 4:
      return random.pick(texts);
    case 5:
      return Array.from({ length: random.below(4) }, () => value(random, depth + 1));
    default:
      return {
        [random.pick(["user", "api_key", "limit", "id", "type", "x", "constructor"])]: value(
          random,
          depth + 1,
        ),
      };
  }
}

function bodyOf(random: Random, names: readonly string[]): string {
  if (random.below(20) === 0) return JSON.stringify(value(random));
  const body: Record<string, unknown> = {};
  // Most of it right, so that what is wrong is reached.
  if (names.includes("name")) body.name = "Fuzz";
  if (names.includes("slug")) body.slug = `fuzz-${random.below(1_000)}`;
  for (const name of names) if (random.below(3) === 0) body[name] = value(random);
  if (random.below(10) === 0) body[random.pick(["role", "kind", "__proto__", "hash", ""])] = value(random);
  const text = JSON.stringify(body);
  return random.below(30) === 0 ? text.slice(0, random.below(text.length)) : text;
}

function queryOf(random: Random, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) {
    if (random.below(3) === 0) query.append(name, String(random.pick([...texts.slice(0, 16), ...numbers])));
  }
  return query.toString();
}

/** Ids of records that are there, and of some that are not. */
async function idsOf(gateway: Gateway): Promise<readonly string[]> {
  const key = await createKey(gateway);
  const workspace = await managed(gateway, { call: "POST /workspaces", body: { name: "W", slug: "w" } });
  const client = await managed(gateway, { call: "POST /connect/clients", body: { name: "C" } });
  const ids = [workspace, client].map(({ body }) => String(asObject(body.data).id));
  return [key.record.hash, ...ids, "default", "daily", "0".repeat(64), "none", "%00x", "é"];
}

function judge(status: number, body: string): void {
  assert(status < 500, `${status}: ${body.slice(0, 500)}`);
  if (status < 400) return;
  const { error } = asObject(JSON.parse(body));
  const { code, message } = asObject(error);
  assert.equal(code, status);
  assert(typeof message === "string" && message !== "" && message.length < 2_000 && message.isWellFormed());
}

/** Events go on without an end: of them only the status counts. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type")?.startsWith("text/event-stream") !== true) {
    return await response.text();
  }
  await response.body?.cancel();
  return "";
}

const shapes = rows.map(([id, row]) => ({
  id,
  row,
  body: row.body === "multipart" ? [] : namesOf(row.body),
  query: namesOf(row.query),
}));

Deno.test(`management operations answer ${count} random requests without a 5xx, SEED=${seed}`, async () => {
  await using gateway = await startGateway();
  const random = seeded(seed);
  const ids = await idsOf(gateway);
  const outcomes = new Map<number, number>();
  for (let at = 0; at < count; at++) {
    const { id, row, body, query } = random.pick(shapes);
    const path = row.path.replaceAll(/:\w+/g, () => random.pick(ids));
    const text = row.method === "GET" ? undefined : bodyOf(random, body);
    const request = new Request(`http://localhost/v1${path}?${queryOf(random, query)}`, {
      method: row.method,
      headers: {
        host: "localhost",
        authorization: `Bearer ${gateway.managementKey}`,
        "content-type": "application/json",
      },
      body: text,
    });
    const response = await gateway.app.fetch(request, "127.0.0.1");
    const answer = await textOf(response);
    try {
      judge(response.status, answer);
    } catch (cause) {
      const logged = gateway.logged.slice(-2).join("\n");
      throw new Error(
        `Request ${at}, ${id}: ${row.method} ${request.url}\n${text?.slice(0, 500)}\n${logged}`,
        { cause },
      );
    }
    outcomes.set(response.status, (outcomes.get(response.status) ?? 0) + 1);
  }
  for (const status of [200, 201, 400, 404]) assert((outcomes.get(status) ?? 0) > 0, `some end in ${status}`);
});
