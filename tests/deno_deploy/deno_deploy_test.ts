/**
 * The gateway as it runs on Deno Deploy, in a process of its own that may not write, start programs or look at the
 * system, on a KV database that it reaches over KV Connect.
 */

import assert from "node:assert/strict";
import { checkOverspend, overspendFaults } from "../../server/cli/checks/overspend_check.ts";
import { picture, seen } from "../support/pictures.ts";
import { patiently, until } from "../support/until.ts";
import { API_KEY, type DeployedGateway, deployGateway, MANAGEMENT_KEY } from "./deploy_gateway.ts";
import { type KvConnect, startKvConnect } from "./kv_connect.ts";
import { watchLimits } from "./platform_limits.ts";

interface Deployed {
  readonly kv: KvConnect;
  readonly gateway: DeployedGateway;
}

const call = (gateway: DeployedGateway, path: string, init: RequestInit & { readonly key?: string } = {}) =>
  fetch(`${gateway.url}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${init.key ?? API_KEY}`,
      ...typeof init.body === "string" ? { "content-type": "application/json" } : {},
    },
  });

const ask = (gateway: DeployedGateway, body: object) =>
  call(gateway, "/v1/responses", {
    method: "POST",
    body: JSON.stringify({ model: "local/priced", input: "Say hello", ...body }),
  });

/** Four thirds of it in base64. */
const PICTURE_BYTES = 3_000_000;

/** Asks with four of them at once. */
async function lookAtPictures(gateway: DeployedGateway): Promise<void> {
  const image_url = `data:image/png;base64,${picture(PICTURE_BYTES).toBase64()}`;
  const content = [{ type: "input_text", text: "What is it?" }, { type: "input_image", image_url }];
  const answers = await Promise.all([false, true, false, true].map(async (stream) => {
    const response = await ask(gateway, { model: "local/echo", input: [{ role: "user", content }], stream });
    return `${response.status} ${await response.text()}`;
  }));
  for (const answer of answers) assert.match(answer, seen(PICTURE_BYTES));
}

async function read(gateway: DeployedGateway, path: string) {
  const response = await call(gateway, path, { key: MANAGEMENT_KEY });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

const race = ({ gateway }: Deployed, kind: "whole" | "streams" | "disconnects") =>
  checkOverspend({ fetch, urls: [gateway.url], managementKey: MANAGEMENT_KEY, kind, requests: 150 });

async function loseReplies({ kv, gateway }: Deployed): Promise<void> {
  let commits = 0;
  kv.breakBy((path) => path.endsWith("/atomic_write") && commits++ % 5 === 0 ? "lost" : undefined);
  const result = await race({ kv, gateway }, "streams");
  kv.heal();
  assert.ok(kv.lostCommits > 0);
  const { served, each = 0, spent, limit } = result;
  assert.ok(served > 0 && spent <= limit, JSON.stringify(result));
  assert.equal(spent.toFixed(9), (served * each).toFixed(9), JSON.stringify(result));
}

/** Parts that a gateway on the platform lacks, and the words that say so. */
const missing: readonly (readonly [string, (gateway: DeployedGateway) => Promise<Response>, RegExp])[] = [
  [
    "containers",
    (gateway) =>
      ask(gateway, { tools: [{ type: "openrouter:shell" }], tool_choice: { type: "openrouter:shell" } }),
    /a machine that may start no programs/,
  ],
  [
    "documents as text",
    (gateway) =>
      ask(gateway, {
        plugins: [{ id: "file-parser", pdf: { engine: "pdf-text" } }],
        input: [{
          role: "user",
          content: [{
            type: "input_file",
            filename: "a.pdf",
            file_data: `data:application/pdf;base64,${btoa("%PDF-1.4")}`,
          }],
        }],
      }),
    /This platform starts no programs/,
  ],
  [
    "a copy of the store",
    (gateway) => call(gateway, "/v1/backup?confirm=x", { key: MANAGEMENT_KEY }),
    /own backups/,
  ],
];

Deno.test("the gateway serves as Deno Deploy starts it", async (t) => {
  const kv = startKvConnect();
  const gateway = await deployGateway(kv, { TOLLGATE_FAULT_LAB: "on" });
  const deployed = { kv, gateway };
  const limits = watchLimits(gateway);
  await t.step("it answers, streams and keeps books", async () => {
    assert.equal((await (await call(gateway, "/readyz")).json()).status, "ready");
    assert.match(await (await ask(gateway, {})).text(), /hello/i);
    assert.match(await (await ask(gateway, { stream: true })).text(), /response\.completed/);
    const { data } = await read(gateway, "/v1/receipts");
    assert.equal(data.length, 2);
    for (const kind of ["whole", "streams", "disconnects"] as const) {
      assert.deepEqual(overspendFaults(await race(deployed, kind)), [], kind);
    }
    await limits.check("races of 150 requests");
  });
  await t.step("it says what is not there", async () => {
    for (const [what, send, words] of missing) {
      const response = await send(gateway);
      const text = await response.text();
      assert.ok(response.status >= 400, `${what}: ${response.status} ${text}`);
      assert.match(text, words, what);
    }
  });
  await t.step("replies of the store that are lost charge nothing twice", async () => {
    await loseReplies(deployed);
    await limits.check("lost replies");
  });
  await t.step("a store that hangs is 503, and no longer than that", async () => {
    kv.breakBy(() => "hanging");
    const response = await patiently(ask(gateway, {}), "an answer while the store hangs");
    assert.equal(response.status, 503, await response.text());
    kv.heal();
    assert.match(await (await ask(gateway, {})).text(), /hello/i);
  });
  await t.step("bodies of many megabytes leave it within the memory that the platform gives", async () => {
    await lookAtPictures(gateway);
    await limits.check("four bodies of 4 MB at once");
  });
  await t.step("it ends within what the platform gives, and charges what it has cut", async () => {
    const response = await ask(gateway, { model: "fault/slow", input: "word ".repeat(60), stream: true });
    const began = performance.now();
    const reading = response.text();
    assert.equal(await gateway.stop(), 0, gateway.log.join("\n"));
    console.log(`It stopped within ${Math.round(performance.now() - began)} ms.`);
    assert.match(await reading, /event: error\ndata: .*"server_error"/);
  });
  await t.step("the next instance has its books", async () => {
    const next = await deployGateway(kv, { TOLLGATE_FAULT_LAB: "on" });
    await until(async () => {
      const { data: [last] } = await read(next, "/v1/receipts?limit=1");
      return last.model === "fault/slow" && last.status === "failed";
    }, { what: "the receipt of the answer that was cut" });
    await next.stop("SIGTERM");
  });
  await kv.close();
});
