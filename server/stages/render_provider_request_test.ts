import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { modelRequest } from "../../tests/support/requests.ts";
import { Refusal } from "../../shared/errors.ts";
import type { Turn } from "../pipeline/request_context.ts";
import { outboundOf } from "../protocols/mod.ts";
import { exhausted, Fault, mayTryNext } from "../routing/upstream_error.ts";
import { render, type RenderDeps } from "./render_provider_request.ts";

function rig() {
  const deps: RenderDeps = { outbound: outboundOf, safetyIdentifier: () => undefined };
  const turn: Pick<Turn, "request" | "caller"> = {
    request: modelRequest({
      tools: [{ type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } }],
      toolChoice: { type: "hosted", kind: "web_search", value: { type: "web_search" } },
    }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
  };
  return { deps, turn, endpoint: testEndpoint({ provider: { wire: "chat" } }) };
}

Deno.test("render leaves to the next candidate what an endpoint's wire cannot say", () => {
  const { deps, turn, endpoint } = rig();
  const faults: Fault[] = [];
  assert.throws(
    () => render(deps, { turn, endpoint }),
    (error) => error instanceof Fault && faults.push(error) > 0,
  );
  const [fault] = faults;
  assert.ok(fault !== undefined && mayTryNext(fault.info));
  const refusal = exhausted({ faults: [fault.info] });
  assert.equal(refusal.status, 400);
  assert.ok(refusal === fault.info.cause && refusal instanceof Refusal);
});

Deno.test("render says the cap that it is told, and the body as text", () => {
  const { deps, turn, endpoint } = rig();
  const asked = { ...turn, request: modelRequest({ maxOutputTokens: 900 }) };
  const { body, text } = render(deps, { turn: asked, endpoint });
  assert.equal(body.max_completion_tokens, 900);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(body)));
  const capped = render(deps, { turn: asked, endpoint, outputCap: 300 });
  assert.equal(capped.body.max_completion_tokens, 300);
});

Deno.test("render sends parameters of open weights to a chat provider whose model lists them", () => {
  const { deps, turn } = rig();
  const sampling = { topK: 40, minP: 0.1, topA: 0.2, repetitionPenalty: 1.1 };
  const asked = {
    ...turn,
    request: modelRequest({ sampling, extra: { chat: { prediction: "Hi", other: 1 } } }),
  };
  const at = (supportedParameters: readonly string[]) => {
    const endpoint = testEndpoint({ provider: { wire: "chat" }, model: { supportedParameters } });
    const { body, dropped } = render(deps, { turn: asked, endpoint });
    return { sent: Object.keys(body).filter((key) => key !== "model" && key !== "messages"), dropped };
  };
  const names = ["top_k", "top_a", "min_p", "repetition_penalty"];
  assert.deepEqual(at(["top_k"]), { sent: ["top_k"], dropped: [...names.slice(1), "prediction", "other"] });
  assert.deepEqual(at([...names, "prediction"]), { sent: [...names, "prediction"], dropped: ["other"] });
});
