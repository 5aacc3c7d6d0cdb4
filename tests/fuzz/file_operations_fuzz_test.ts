/** The file operations with queries, ids and headers drawn at random: no 5xx, and no byte that was not asked for. */

import assert from "node:assert/strict";
import { fileApi } from "../../shared/management/files.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { makeFile, upload, utf8 } from "../support/files.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { type Random, seeded } from "./random.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);
const content = utf8("0123456789abcdef");

const odd = [
  "",
  "0",
  "-1",
  "1e9",
  "NaN",
  "null",
  "true",
  "%00",
  "%F0%9F%92%A9",
  "..%2F..",
  "__proto__",
  "a".repeat(300),
];
const names = [
  "workspace_id",
  "provider",
  "limit",
  "cursor",
  "after",
  "after_id",
  "page",
  "before_id",
  "order",
  "purpose",
  "x",
];

interface Known {
  readonly ids: readonly string[];
  readonly values: readonly string[];
}

function queryOf(random: Random, { values }: Known): string {
  const pairs = Array.from({ length: random.below(4) }, () => `${random.pick(names)}=${random.pick(values)}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

const numbers = ["", "0", "1", "5", "15", "16", "17", "999", "9".repeat(15), "9".repeat(40), "-1", "x", " 3"];

function headersOf(random: Random, etag: string): Readonly<Record<string, string>> {
  const range = `${random.pick(["bytes=", "bytes = ", "BYTES=", "items=", ""])}${random.pick(numbers)}-${
    random.pick(numbers)
  }`;
  const tags = [
    "*",
    etag,
    `W/${etag}`,
    '"other"',
    `"other", ${etag}`,
    ",,",
    "",
    "Mon, 23 Nov 2026 00:00:00 GMT",
  ];
  const all: readonly (readonly [string, string])[] = [
    ["range", random.below(5) === 0 ? `${range},${range}` : range],
    ["if-range", random.pick(tags)],
    ["if-none-match", random.pick(tags)],
    ["user-agent", random.pick(["OpenAI/JS", "curl", ""])],
    ["anthropic-version", random.pick(["2023-06-01", ""])],
  ];
  return Object.fromEntries(all.filter(() => random.below(2) === 0));
}

async function known(gateway: Gateway): Promise<Known & { readonly made: string; readonly etag: string }> {
  const { body } = await managed(gateway, { call: "GET /workspaces" });
  const workspaceId = String(asObject(asList(body.data)[0]).id);
  const row = await makeFile(gateway, { workspaceId, bytes: content });
  const made = `tg_file_${row.id}`;
  const uploaded = String((await upload(gateway)).body.id);
  const ids = [
    made,
    made,
    made,
    uploaded,
    "file-1",
    `tg_file_${"0".repeat(32)}`,
    ...odd.filter((text) => text !== ""),
  ];
  const values = [
    ...odd,
    made,
    uploaded,
    workspaceId,
    "default",
    "openai",
    "anthropic",
    "asc",
    "desc",
    "100",
    "user_data",
  ];
  return { ids, values, made, etag: `"${row.sha256}"` };
}

/** Judges a download: a part of the content, all of it, or nothing. */
async function judgeContent(response: Response, text: string): Promise<void> {
  if (response.status === 206) {
    const [, first, last] = /^bytes (\d+)-(\d+)\/16$/.exec(response.headers.get("content-range") ?? "") ?? [];
    assert.equal(text, "0123456789abcdef".slice(Number(first), Number(last) + 1));
  } else if (response.status === 200) assert.equal(text, "0123456789abcdef");
  else assert.equal(text, "");
  await Promise.resolve();
}

for (const [id, { method, path }] of Object.entries(fileApi)) {
  Deno.test(`${id} answers ${count} random requests without a 5xx, SEED=${seed}`, async () => {
    await using gateway = await startGateway();
    const { etag, ...pools } = await known(gateway);
    const random = seeded(seed);
    const statuses = new Set<number>();
    for (let at = 0; at < count; at++) {
      const token = id === "files.content" || id === "files.text" || random.below(2) === 0
        ? gateway.managementKey
        : gateway.apiKey;
      const url = `http://localhost/v1${path.replace(":file_id", () => random.pick(pools.ids))}${
        queryOf(random, pools)
      }`;
      const headers = { host: "localhost", authorization: `Bearer ${token}`, ...headersOf(random, etag) };
      const response = await gateway.app.fetch(new Request(url, { method, headers }), "127.0.0.1");
      const text = await response.text();
      assert(response.status < 500, `${method} ${url}: ${response.status} ${text.slice(0, 300)}`);
      statuses.add(response.status);
      if (response.status >= 400) {
        assert.equal(asObject(asObject(JSON.parse(text)).error).code, response.status);
      } else if (id === "files.content") await judgeContent(response, text);
      else JSON.parse(text);
    }
    assert(statuses.has(400) && (id === "files.upload" || statuses.has(200)), `${[...statuses]}`);
  });
}
