/** Receipts of requests with plugins: each call that was made, with the status of what became of it. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { httpStub } from "../support/http_stub.ts";
import type { Receipt } from "../../shared/receipts.ts";
import { receiptOf } from "../money/rig.ts";
import { says, send, type Sent, type Turns } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { madeBytes, question, withDocuments } from "./documents_rig.ts";
import { askModerated, moderated, type ModerationOptions } from "./moderation_rig.ts";
import { type Api, apis, requestOn } from "./rig.ts";

const ways = apis.flatMap((api) => [false, true].map((stream) => ({ api, stream })));
const done: Turns = () => [says("Done.")];

type Status = readonly [receipt: Receipt["status"], ...calls: readonly string[]];

/** The receipt's status, and its calls with theirs. Each line is for a call of the list. */
function statusesOf({ status, calls, lines, cost }: Receipt): Status {
  const costs = (calls ?? []).map((call) => call.cost);
  assert.equal(costs.reduce((sum, one) => sum + one, 0), cost);
  for (const { call } of lines) assert((costs[call ?? -1] ?? 0) > 0, `a line is for call ${call}`);
  return [status, ...(calls ?? []).map(({ purpose, status }) => `${purpose} ${status}`)];
}

async function generationOf({ url, managementKey }: Gateway, { id }: Receipt): Promise<Json> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const response = await fetch(`${url}/v1/generation?id=${id}`, { headers });
  return asObject(asObject(await response.json()).data);
}

interface WebCase {
  readonly model?: string;
  readonly plugin?: Json;
  readonly response?: () => Response;
  readonly status: number;
  readonly receipt: Status;
  readonly engine?: string | null;
  /** Pages that were fetched, or tried. */
  readonly pages?: number;
}

const nanoOf = (usd: unknown): number => Math.round(Number(usd) * 1e9);

/** Cost of the models by the answer, in nano-USD. */
const costOf = ({ text }: Sent): number =>
  nanoOf([...text.matchAll(/"upstream_inference_cost":([\d.e-]+)/g)].at(-1)?.[1]);

const failing = () => new Response("no", { status: 500 });

const webCases: Readonly<Record<string, WebCase>> = {
  "a search": {
    status: 200,
    receipt: ["completed", "model completed", "plugin:web completed"],
    engine: "Exa",
  },
  "a search that fails": {
    response: failing,
    status: 200,
    receipt: ["completed", "model completed", "plugin:web failed"],
    engine: null,
  },
  "a search, and a model that fails": {
    model: "chat-500",
    status: 502,
    receipt: ["failed", "model failed", "plugin:web completed"],
    engine: "Exa",
  },
  "a page": {
    plugin: { id: "web-fetch" },
    status: 200,
    receipt: ["completed", "model completed", "plugin:web-fetch completed", "plugin:web-fetch completed"],
    pages: 2,
  },
  "a page that is not there": {
    plugin: { id: "web-fetch", blocked_domains: ["127.0.0.1"] },
    status: 200,
    receipt: ["completed", "model completed", "plugin:web-fetch failed", "plugin:web-fetch failed"],
    pages: 2,
  },
};

for (const [name, one] of Object.entries(webCases)) {
  Deno.test(`the receipt tells the calls of a request with ${name}`, async () => {
    for (const api of apis) await assertCalls(api, one);
  });
}

async function assertCalls(
  api: Api,
  { model = "chat", plugin = { id: "web" }, response, ...wanted }: WebCase,
) {
  const page = () => new Response("A page.", { headers: { "content-type": "text/plain" } });
  await withWeb({ price: "0.00005", response, pages: page }, async ({ gateway, plan, site }) => {
    for (const stream of [false, true]) {
      plan(done);
      const text = `News at ${site}/a and ${site}/b`;
      const body = requestOn(api, { model: `mock/${model}`, text, plugins: [plugin], stream });
      const sent = await send(gateway, { api, body });
      assert.equal(sent.status, wanted.status, sent.text);
      const receipt = await receiptOf(gateway, sent);
      assert.deepEqual(statusesOf(receipt), wanted.receipt, `${api} ${stream}`);
      const generation = await generationOf(gateway, receipt);
      const { web_search_engine, moderation_latency, num_fetches } = generation;
      assert.deepEqual([web_search_engine, moderation_latency], [wanted.engine ?? null, null]);
      assert.equal(num_fetches, wanted.pages ?? null);
      const { upstream_inference_cost, server_tool_cost, usage } = generation;
      assert.equal(nanoOf(upstream_inference_cost) + nanoOf(server_tool_cost), nanoOf(usage));
      if (sent.status === 200) assert.equal(costOf(sent), nanoOf(upstream_inference_cost), sent.text);
    }
  });
}

interface ModerationCase extends Pick<ModerationOptions, "moderation"> {
  readonly text: string;
  readonly isDown?: boolean;
  readonly status: number;
  readonly receipt: Status;
}

const moderationCases: Readonly<Record<string, ModerationCase>> = {
  "a text that passes": {
    text: "kind",
    status: 200,
    receipt: ["completed", "model completed", "plugin:moderation completed"],
  },
  "a text that is flagged": {
    text: "bad",
    moderation: { price: "0.00005" },
    status: 403,
    receipt: ["refused", "plugin:moderation completed"],
  },
  "no verdict": {
    text: "kind",
    isDown: true,
    status: 503,
    receipt: ["refused", "plugin:moderation failed"],
  },
  "no verdict, which is let through": {
    text: "kind",
    moderation: { fail: "open" },
    isDown: true,
    status: 200,
    receipt: ["completed", "model completed", "plugin:moderation failed"],
  },
};

for (const [name, { text, moderation, isDown, ...wanted }] of Object.entries(moderationCases)) {
  Deno.test(`the receipt tells the calls of a moderated request with ${name}`, async () => {
    await using rig = await moderated({ moderation });
    if (isDown === true) rig.answer(failing);
    for (const [at, way] of ways.entries()) {
      const { status, raw, response } = await askModerated(rig, { ...way, text: `${text} ${at}` });
      assert.equal(status, wanted.status, raw);
      const receipt = await receiptOf(rig.gateway, response);
      assert.deepEqual(statusesOf(receipt), wanted.receipt);
      const { moderation_latency, web_search_engine } = await generationOf(rig.gateway, receipt);
      const judging = receipt.calls?.find(({ purpose }) => purpose === "plugin:moderation");
      assert.deepEqual([moderation_latency, web_search_engine], [judging?.latency_ms, null]);
    }
  });
}

const ocrCases = {
  "is read": {
    answer: () =>
      Response.json({
        pages: [{ index: 0, markdown: "Words", images: [] }],
        usage_info: { pages_processed: 1 },
      }),
    status: 200,
    receipt: ["completed", "model completed", "plugin:file-parser completed"],
  },
  "is not read": { answer: failing, status: 502, receipt: ["refused", "plugin:file-parser failed"] },
} as const;

for (const [name, { answer, status, receipt: wanted }] of Object.entries(ocrCases)) {
  Deno.test(`the receipt tells the calls of a request with a scan that ${name}`, async () => {
    const ask = async (api: Api, stream: boolean) => {
      await using mistral = httpStub(answer);
      const env = { MISTRAL_API_KEY: "mistral-key", MISTRAL_BASE_URL: `${mistral.url}/v1` };
      await withDocuments({ gateway: { env } }, async ({ gateway, plan }) => {
        plan(done);
        const text = question(api, [{ name: "scan.pdf", bytes: madeBytes("scanned.pdf") }]);
        const plugins = [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }];
        const body = requestOn(api, { model: "mock/chat", text, plugins, stream });
        const sent = await send(gateway, { api, body });
        assert.equal(sent.status, status, sent.text);
        assert.deepEqual(statusesOf(await receiptOf(gateway, sent)), wanted);
      });
    };
    for (const { api, stream } of ways) await ask(api, stream);
  });
}
