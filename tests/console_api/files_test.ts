/** How the console's page and files are served. */

import assert from "node:assert/strict";
import { gunzipSync, gzipSync } from "node:zlib";
import { ConsoleClient } from "../support/console_client.ts";
import { startGateway } from "../support/gateway.ts";

const PAGE = "<!doctype html><title>Tollgate</title>";
const SCRIPT = "console.log(1);\n".repeat(100);

async function buildDist(folder: string): Promise<URL> {
  const texts = {
    "index.html": [PAGE, "text/html; charset=utf-8"],
    "main-ABC.js": [SCRIPT, "text/javascript"],
  } as const;
  const entries = await Promise.all(
    Object.entries(texts).map(async ([name, [text, type]]) => {
      const gzip = gzipSync(text);
      await Deno.writeTextFile(`${folder}/${name}`, text);
      await Deno.writeFile(`${folder}/${name}.gz`, gzip);
      return [name, { type, size: text.length, etag: `"${name}"`, immutable: name !== "index.html" }];
    }),
  );
  await Deno.writeTextFile(`${folder}/secret.txt`, "not in the manifest");
  await Deno.writeTextFile(`${folder}/manifest.json`, JSON.stringify({ files: Object.fromEntries(entries) }));
  return new URL(`file://${folder}/`);
}

async function withConsole(run: (client: ConsoleClient) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await using gateway = await startGateway({ consoleFolder: await buildDist(folder) });
    await run(new ConsoleClient(gateway));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("every unknown path below /console gives the page, which is never stored", () =>
  withConsole(async (client) => {
    for (const path of ["", "/", "/keys", "/keys/deep/er?q=1"]) {
      const response = await client.send({ call: `GET ${path}` });
      assert.deepEqual([response.status, await response.text()], [200, PAGE], path);
      assert.equal(response.headers.get("cache-control"), "no-store");
    }
  }));

Deno.test("hashed files are kept for a year, compressed where accepted, and told by their tag", () =>
  withConsole(async (client) => {
    const call = "GET /assets/main-ABC.js";
    const plain = await client.send({ call });
    assert.equal(await plain.text(), SCRIPT);
    assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(plain.headers.get("vary"), "Accept-Encoding");
    const packed = await client.send({ call, headers: { "accept-encoding": "gzip, br" } });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(gunzipSync(await packed.bytes()).toString(), SCRIPT);
    const known = await client.send({ call, headers: { "if-none-match": '"main-ABC.js"' } });
    assert.deepEqual([known.status, await known.text()], [304, ""]);
  }));

Deno.test("what the manifest does not name is no file, whatever its path", () =>
  withConsole(async (client) => {
    for (
      const name of [
        "none.js",
        "secret.txt",
        "manifest.json",
        "main-ABC.js.gz",
        "%5c..%5csecret.txt",
      ]
    ) {
      const response = await client.send({ call: `GET /assets/${name}` });
      await response.body?.cancel();
      assert([400, 404].includes(response.status), `${name}: ${response.status}`);
    }
    assert.equal((await client.answer({ call: "POST /keys" })).status, 404);
  }));

Deno.test("every reply below /console refuses frames, foreign scripts and inline ones", () =>
  withConsole(async (client) => {
    for (
      const call of [
        "GET /keys",
        "GET /assets/main-ABC.js",
        "GET /assets/none.js",
        "GET /session",
        "GET /api/keys",
      ]
    ) {
      const { headers, body } = await client.send({ call });
      await body?.cancel();
      const policy = headers.get("content-security-policy") ?? "";
      for (
        const rule of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "frame-ancestors 'none'",
        ]
      ) {
        assert(policy.split("; ").includes(rule), `${call}: ${rule}`);
      }
      assert.doesNotMatch(policy, /unsafe|\*/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.equal(headers.get("x-frame-options"), "DENY");
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("access-control-allow-origin"), null);
    }
  }));

Deno.test("a gateway without a built console answers 503 with what helps", async () => {
  await using gateway = await startGateway({ consoleFolder: new URL("file:///nothing/here/") });
  const client = new ConsoleClient(gateway);
  for (const call of ["GET ", "GET /keys", "GET /assets/main-ABC.js"]) {
    const response = await client.send({ call });
    assert.equal(response.status, 503, call);
    assert.match(await response.text(), /deno task build:console/);
  }
  assert.equal((await client.answer({ call: "GET /session" })).status, 200);
});
