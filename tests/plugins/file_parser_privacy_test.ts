/** Services that read documents get their texts, so what keeps texts from providers holds for them too. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { asObject } from "../support/event_stream.ts";
import { patientCrowd } from "../support/gateway.ts";
import { httpStub } from "../support/http_stub.ts";
import { createKey, managed } from "../support/manage.ts";
import { says, send } from "../server_tools/rig.ts";
import type { WebRig } from "../server_tools/web_rig.ts";
import { requestOn } from "./rig.ts";
import { madeBytes, question, type SentDocument, withDocuments } from "./documents_rig.ts";

/** Nothing is stated of the services, unlike of the models' providers. */
const provider = { data_policy: { training: false, zdr: true } };

interface PrivacyRig extends WebRig {
  /** Names of the services that were sent a document. */
  readonly asked: string[];
}

async function withServices(test: (rig: PrivacyRig) => Promise<void>) {
  const asked: string[] = [];
  await using services = httpStub(async (request) => {
    const { pathname } = new URL(request.url);
    await request.arrayBuffer();
    if (pathname === "/v1/ocr") {
      asked.push("mistral");
      return Response.json({
        pages: [{ index: 0, markdown: "Words", images: [] }],
        usage_info: { pages_processed: 1 },
      });
    }
    asked.push("cloudflare");
    return Response.json({ success: true, result: [{ name: "a", format: "markdown", data: "Words" }] });
  });
  const env = {
    MISTRAL_API_KEY: "mistral-key",
    MISTRAL_BASE_URL: `${services.url}/v1`,
    CLOUDFLARE_ACCOUNT_ID: "account",
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_BASE_URL: services.url,
  };
  await withDocuments({ gateway: { env, limits: patientCrowd }, provider }, (rig) => test({ ...rig, asked }));
}

const documents = {
  scan: { name: "scan.pdf", bytes: madeBytes("scanned.pdf") },
  paper: { name: "paper.pdf", bytes: madeBytes("chromium.pdf") },
} satisfies Record<string, SentDocument>;

/** How a document is to be read: by a scan's OCR, by the engine that is named, or by Cloudflare. */
const ways = [
  {
    name: "a scan",
    document: documents.scan,
    plugin: { id: "file-parser" },
    service: "mistral",
    status: 400,
  },
  {
    name: "mistral-ocr",
    document: documents.paper,
    plugin: { id: "file-parser", pdf: { engine: "mistral-ocr" } },
    service: "mistral",
    status: 400,
  },
  {
    name: "cloudflare-ai",
    document: documents.paper,
    plugin: { id: "file-parser", pdf: { engine: "cloudflare-ai" } },
    service: "cloudflare",
    status: 200,
  },
] as const;

interface Demand {
  readonly name: string;
  readonly demanded?: Json;
  readonly guardrail?: Json;
  /** Services that it keeps away. */
  readonly away: readonly string[];
}

const both = ["mistral", "cloudflare"];

const demands: readonly Demand[] = [
  { name: "nothing", away: [] },
  { name: "provider.only", demanded: { only: ["mock-chat"] }, away: [] },
  { name: "provider.ignore", demanded: { ignore: ["mistral"] }, away: ["mistral"] },
  { name: "provider.zdr", demanded: { zdr: true }, away: both },
  { name: "provider.data_collection", demanded: { data_collection: "deny" }, away: both },
  { name: "a guardrail's providers", guardrail: { allowed_providers: ["mock-chat"] }, away: ["mistral"] },
  { name: "a guardrail's ignored ones", guardrail: { ignored_providers: ["mistral"] }, away: ["mistral"] },
  { name: "a guardrail's ZDR", guardrail: { enforce_zdr: true }, away: both },
  { name: "a guardrail's word on training", guardrail: { enable_paid_model_training: false }, away: both },
];

for (const { name, demanded, guardrail, away } of demands) {
  Deno.test(`services that read documents, with ${name}`, async () => {
    await withServices(async (rig) => {
      const { key, record: { hash } } = await createKey(rig.gateway, { limit: 1 });
      if (guardrail !== undefined) await assign(rig, { guardrail, hash });
      for (const { document, plugin, service, status, name: way } of ways) {
        rig.asked.length = 0;
        rig.plan(() => [says("Hi")]);
        const body = requestOn("chat", {
          model: "mock/chat",
          text: question("chat", [document]),
          plugins: [plugin],
          ...(demanded === undefined ? {} : { provider: demanded }),
        });
        const sent = await send(rig.gateway, { api: "chat", body, key });
        const isAway = away.includes(service);
        assert.equal(sent.status, isAway ? status : 200, `${way}: ${sent.text}`);
        assert.equal(rig.asked.includes(service), !isAway, way);
        if (sent.status === 400) assert.match(sent.text, /keeps texts from it/);
      }
    });
  });
}

async function assign(
  { gateway }: PrivacyRig,
  { guardrail, hash }: { readonly guardrail: Json; readonly hash: string },
): Promise<void> {
  const made = await managed(gateway, { call: "POST /guardrails", body: { name: "Private", ...guardrail } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = asObject(made.body.data);
  const call = `POST /guardrails/${String(id)}/assignments/keys`;
  const assigned = await managed(gateway, { call, body: { key_hashes: [hash] } });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
}
