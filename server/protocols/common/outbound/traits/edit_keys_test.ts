import assert from "node:assert/strict";
import { endpointTraits, modelRequest } from "../../../../../tests/support/requests.ts";
import { type WireId, wireIds } from "../../../canonical/item.ts";
import { messagesOutbound } from "../../../messages/outbound/mod.ts";
import { outboundFor } from "../../../mod.ts";

interface Spelling {
  /** The wire's key of a cap and the object in which it stands, and the one of a service tier. */
  readonly cap: string;
  readonly place?: string;
  readonly tier: string;
}

const spellings: { readonly [W in WireId]: Spelling } = {
  responses: { cap: "max_output_tokens", tier: "service_tier" },
  chat: { cap: "max_completion_tokens", tier: "service_tier" },
  messages: { cap: "max_tokens", tier: "service_tier" },
  gemini: { cap: "maxOutputTokens", place: "generationConfig", tier: "serviceTier" },
  bedrock: { cap: "inferenceConfig", tier: "serviceTier" },
};

const request = modelRequest({ maxOutputTokens: 9, serviceTier: "priority", stream: true });

for (const wire of wireIds) {
  Deno.test(`the row's own keys stand in the body of ${wire}: left out and named, renamed, added`, () => {
    const { cap, place, tier } = spellings[wire];
    const { renderRequest } = outboundFor(wire);
    const plain = renderRequest(request, endpointTraits()).body;
    const { body, dropped } = renderRequest(
      request,
      endpointTraits({
        omit: [tier, "model", "stream", "stream_options", "store", "metadata"],
        rename: { [cap]: "cap", constructor: "x" },
        extraBody: { safe: true, stream: 1 },
      }),
    );
    const within = (all: Readonly<Record<string, unknown>>) => place === undefined ? all : Object(all[place]);
    assert.deepEqual([within(body).cap, within(body)[cap]], [within(plain)[cap], undefined]);
    assert.notEqual(within(plain)[cap], undefined);
    assert.deepEqual([body.safe, body.stream], [true, 1], "what is added stands above all");
    for (const key of [tier, "model", "stream_options", "store"]) assert.equal(key in body, false, key);
    assert.deepEqual(dropped, [tier], "what the gateway adds by itself is not missed");
    assert.deepEqual(renderRequest(request, endpointTraits()).body, plain);
  });
}

Deno.test("an object whose keys are all left out is left out", () => {
  const { body } = outboundFor("gemini").renderRequest(
    request,
    endpointTraits({ omit: ["maxOutputTokens"] }),
  );
  assert.equal("generationConfig" in body, false);
});

Deno.test("a count has the model in its body though the row omits it elsewhere", () => {
  const endpoint = endpointTraits({ omit: ["model"] });
  assert.equal(messagesOutbound.renderCount?.(request, endpoint).body.model, "one-2026");
  assert.equal("model" in messagesOutbound.renderRequest(request, endpoint).body, false);
});

Deno.test("a mark inside of parts is left out where the row omits it, on every wire that has it", () => {
  const part = { type: "text", text: "Hi", cache: { breakpoint: { mode: "explicit" } } } as const;
  const marked = modelRequest({
    input: [
      { type: "message", role: "user", parts: [part, { type: "text", text: "So?" }] },
      { type: "call", kind: "function", callId: "call_1", name: "look", arguments: "{}" },
      { type: "result", kind: "function", callId: "call_1", output: [part] },
    ],
  });
  for (const wire of ["chat", "responses"] as const) {
    const { renderRequest } = outboundFor(wire);
    const sent = renderRequest(marked, endpointTraits());
    assert.equal(JSON.stringify(sent.body).split("prompt_cache_breakpoint").length, 3, wire);
    const { body, dropped } = renderRequest(marked, endpointTraits({ omit: ["prompt_cache_breakpoint"] }));
    assert.doesNotMatch(JSON.stringify(body), /prompt_cache_breakpoint/);
    assert.deepEqual(dropped, ["prompt_cache_breakpoint"], wire);
  }
});
