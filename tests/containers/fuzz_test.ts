/** Operations on containers with ids and queries at random, and mutated ids: no 5xx. */

import assert from "node:assert/strict";
import { containerApi } from "../../shared/management/containers.ts";
import { decodeFileId, encodeFileId } from "../../server/sandbox/containers/container_ids.ts";
import { type Random, seeded } from "../fuzz/random.ts";
import { containerRig, respond, testEngines } from "../support/containers.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(2_000);

const oddPaths = [
  "",
  ".",
  "..",
  "../a",
  "a/../b",
  "/etc/passwd",
  "a//b",
  "a/",
  "a\\b",
  "a\0b",
  "e\u0301",
  "\ud800",
  "a".repeat(1_025),
];
const encode = (path: string) => `cfile_${Buffer.from(path, "utf8").toString("base64url")}`;

function mutate(random: Random, id: string): string {
  const at = random.below(id.length);
  switch (random.below(5)) {
    case 0:
      return id.slice(0, at) + id.slice(at + 1);
    case 1:
      return id.slice(0, at) + random.pick(["=", "+", "/", "%00", "%2F", "_", "-", "😀", "A"]) + id.slice(at);
    case 2:
      return `${id}=`;
    case 3:
      return encode(random.pick(oddPaths));
    default:
      return id.toUpperCase();
  }
}

Deno.test("decodeFileId takes exactly what encodeFileId gives", () => {
  for (const path of ["a", "d/b.txt", "ünï 😀.txt", "a".repeat(1_024), "__proto__", "-"]) {
    assert.equal(decodeFileId(encodeFileId(path) ?? ""), path);
  }
  for (const path of oddPaths) {
    assert.equal(encodeFileId(path), undefined, JSON.stringify(path.slice(0, 20)));
    // The half of a character is another one in UTF-8.
    if (path.isWellFormed()) {
      assert.equal(decodeFileId(encode(path)), undefined, JSON.stringify(path.slice(0, 20)));
    }
  }
  for (
    const id of [
      "cfile_",
      "cfile_YQ==",
      "cfile_YR",
      "cfile_/w",
      "cfile__w",
      "file_YQ",
      "cfile_YQ\n",
      "CFILE_YQ",
    ]
  ) {
    assert.equal(decodeFileId(id), undefined, id);
  }
});

Deno.test(`container operations with ${count} mutated ids and queries answer no 5xx (SEED=${seed})`, async () => {
  await using rig = await containerRig();
  const { gateway, bash } = rig;
  const random = seeded(seed);
  const { containerId, files } = await bash({ command: "echo 1 > a; mkdir d; echo 2 > d/b" }, {
    session: "s",
  });
  const ids = files.map(({ fileId }) => fileId);
  const statuses = new Map<number, number>();
  const operations = Object.entries(containerApi).filter(([id]) => !id.endsWith("delete"));
  for (let at = 0; at < count; at++) {
    const [, { method, path }] = random.pick(operations);
    const container = random.below(3) === 0 ? mutate(random, containerId) : containerId;
    const file = random.below(2) === 0 ? mutate(random, random.pick(ids)) : random.pick(ids);
    const query = random.pick([
      "",
      "?limit=1",
      "?limit=0",
      "?limit=x",
      `?after=${file}`,
      "?order=desc",
      "?workspace_id=none",
    ]);
    const place = path.replace(":container_id", container).replace(":file_id", file) + query;
    const token = random.below(2) === 0 ? gateway.apiKey : gateway.managementKey;
    const headers = { host: "localhost", authorization: `Bearer ${token}` };
    const response = await gateway.app.fetch(
      new Request(`http://localhost/v1${place}`, { method, headers }),
      "127.0.0.1",
    );
    const text = await response.text();
    assert(response.status < 500, `${method} ${place}: ${response.status} ${text}`);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  for (const status of [200, 400, 403, 404]) assert((statuses.get(status) ?? 0) > 0, `${[...statuses]}`);
});

testEngines("damaged arguments of tools that run code are results, not errors", async (openRig) => {
  await using rig = await openRig();
  const random = seeded(seed);
  const values = [
    null,
    0,
    -1,
    1e300,
    "",
    "echo 1",
    [],
    ["echo 1"],
    [1],
    {},
    true,
    "x".repeat(100_000),
    "\0",
    "\ud800",
  ];
  for (let at = 0; at < 100; at++) {
    const args = Object.fromEntries(
      ["command", "commands", "restart", "timeout_ms", "max_output_length", "x"].filter(() =>
        random.below(2) === 0
      )
        .map((name) => [name, name === "timeout_ms" ? 500 : random.pick(values)]),
    );
    const { status, body } = await respond(rig.gateway, { args, session: `s${at % 4}` });
    assert.equal(status, 200, JSON.stringify(body).slice(0, 300));
  }
  assert.deepEqual(rig.gateway.logged.filter((line) => line.includes('"level":"error"')), []);
});
