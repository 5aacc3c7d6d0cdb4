/** Every router's slug, by every way in which a request can name it, on each API: it chooses, and brings what it brings. */

import assert from "node:assert/strict";
import { routers } from "../../server/pipeline/routing/routers/mod.ts";
import { type FusionRig, withFusion } from "../fusion/rig.ts";
import { receiptOf } from "../money/rig.ts";
import { type Api, apis, says, send, type Sent } from "../server_tools/rig.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { explainedFor } from "../support/held.ts";
import { createKey, managed } from "../support/manage.ts";

const slugs = Object.keys(routers);
const isFusion = (slug: string): boolean => slug.startsWith("fusion");

const preset = { analysis_models: ["alpha/mock", "free/mock"], model: "alpha/mock" };
const presets = { "general-high": preset, "general-budget": preset, "general-fast": preset };
const aliases = Object.fromEntries(slugs.map((slug) => [`my-${slug}`, `service/${slug}`]));

interface Way {
  /** Fields of the request. */
  readonly fields: (slug: string) => Json;
  /** Default model of the workspace. */
  readonly textModel?: (slug: string) => string;
  readonly router?: (slug: string) => string;
}

const own = (slug: string): string => `openrouter/${slug}`;
const service = (slug: string): string => `service/${slug}`;

const ways: Readonly<Record<string, Way>> = {
  model: { fields: (slug) => ({ model: own(slug) }) },
  "the other prefix": { fields: (slug) => ({ model: service(slug) }), router: service },
  variant: { fields: (slug) => ({ model: `${own(slug)}:floor` }) },
  alias: { fields: (slug) => ({ model: `my-${slug}` }), router: service },
  "alias with a variant": { fields: (slug) => ({ model: `my-${slug}:floor` }), router: service },
  models: { fields: (slug) => ({ models: [own(slug)] }) },
  "model and models": { fields: (slug) => ({ model: "nobody/here", models: ["nobody/either", own(slug)] }) },
  fallback: { fields: (slug) => ({ models: ["down/mock-500", own(slug)] }) },
  "default model of the workspace": { fields: () => ({}), textModel: own },
  "default model with a variant": { fields: () => ({}), textModel: (slug) => `${own(slug)}:floor` },
  "default model that is an alias": {
    fields: () => ({}),
    textModel: (slug) => `my-${slug}`,
    router: service,
  },
};

const bodyOf = (api: Api, fields: Json): Json => ({
  ...(api === "responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] }),
  ...(api === "messages" ? { max_tokens: 100 } : {}),
  ...fields,
});

interface Routed {
  readonly rig: FusionRig;
  readonly slug: string;
  readonly way: Way;
  readonly key: string;
}

/** The body that the model of the answer was sent first. */
function firstBody({ rig: { sentTo } }: Routed): Json {
  const sent = ["alpha/mock", "free/mock"].flatMap((model) => sentTo(model));
  assert.equal(sent.length, 1, "one model answers");
  return asObject(sent[0]);
}

async function assertRouted(routed: Routed, sent: Sent): Promise<void> {
  const { rig: { gateway }, slug, way: { router = own } } = routed;
  assert.equal(sent.status, 200, sent.text);
  const receipt = await receiptOf(gateway, sent);
  assert.deepEqual([receipt.router, receipt.status], [router(slug), "completed"]);
  assert(receipt.model === "alpha/mock" || receipt.model === "free/mock", String(receipt.model));
  const names = asList(firstBody(routed).tools ?? []).map((tool) => asObject(asObject(tool).function).name);
  assert.deepEqual(names, isFusion(slug) ? ["fusion"] : []);
}

async function assertExplained({ rig: { gateway }, slug, way, key }: Routed): Promise<void> {
  const { router = own, fields } = way;
  const told = await explainedFor({ gateway, key }, bodyOf("responses", fields(slug)));
  assert.equal(told.refusal, null);
  assert.deepEqual(asList(told.routers).map((one) => asObject(one).router), [router(slug)]);
  // The first of the models is offered the tool, or is none of the router's.
  const isFirst = way !== ways.fallback;
  if (isFirst) assert.equal(asObject(told.reservation).fusion !== undefined, isFusion(slug));
}

async function assertCounted({ rig: { gateway }, slug, way, key }: Routed): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf("messages", { ...way.fields(slug), max_tokens: undefined })),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert(Number(asObject(JSON.parse(text)).input_tokens) > 0);
}

const options = {
  models: ["alpha/mock", "free/mock", "down/mock-500"],
  facts: {
    "outer/mock": { hidden: true },
    "free/mock": { pricing: { prompt: "0", completion: "0" } },
  },
  file: { fusion: { presets }, aliases, auto: { default_models: ["alpha/mock", "free/mock"] } },
};

for (const [name, way] of Object.entries(ways)) {
  Deno.test(`every router's slug chooses on each API, in explain and in counts, as ${name}`, async () => {
    await withFusion(options, async (rig) => {
      const { gateway, plan } = rig;
      const { key } = await createKey(gateway, { limit: 100 });
      for (const slug of slugs) {
        const body = { default_text_model: way.textModel?.(slug) ?? null };
        const set = await managed(gateway, { call: "PATCH /workspaces/default", body });
        assert.equal(set.status, 200);
        const routed = { rig, slug, way, key };
        await assertExplained(routed);
        await assertCounted(routed);
        for (const api of apis) {
          for (const stream of [false, true]) {
            plan({ member: () => [says("Hello.")] });
            const asked = bodyOf(api, { ...way.fields(slug), stream });
            await assertRouted(routed, await send(gateway, { api, key, body: asked }));
          }
        }
      }
    });
  });
}
