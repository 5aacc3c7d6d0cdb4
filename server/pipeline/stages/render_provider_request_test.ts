import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { RequestContext } from "../request_context.ts";
import { outboundFor } from "../../protocols/mod.ts";
import { allAttemptsFailed, isRetryable, UpstreamError } from "../routing/upstream_error.ts";
import { type RenderDeps, renderProviderRequest } from "./render_provider_request.ts";

function rig() {
  const deps: RenderDeps = { outbound: outboundFor, safetyIdentifier: () => undefined };
  const context: Pick<RequestContext, "request" | "caller"> = {
    request: modelRequest({
      tools: [{ type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } }],
      toolChoice: { type: "hosted", kind: "web_search", value: { type: "web_search" } },
    }),
    caller: { kind: "api", keyHash: "h", workspaceId: "w" },
  };
  return { deps, context, endpoint: testEndpoint({ provider: { wire: "chat" } }) };
}

Deno.test("render leaves to the next candidate what an endpoint's wire cannot say", () => {
  const { deps, context, endpoint } = rig();
  const faults: UpstreamError[] = [];
  assert.throws(
    () => renderProviderRequest(deps, { context, endpoint }),
    (error) => error instanceof UpstreamError && faults.push(error) > 0,
  );
  const [error] = faults;
  assert.ok(error !== undefined && isRetryable(error.info));
  const refusal = allAttemptsFailed({ faults: [error.info] });
  assert.equal(refusal.status, 400);
  assert.ok(refusal === error.info.cause && refusal instanceof ApiError);
});

Deno.test("render says the cap that it is told, and the body as text", () => {
  const { deps, context, endpoint } = rig();
  const requested = { ...context, request: modelRequest({ maxOutputTokens: 900 }) };
  const { body, text } = renderProviderRequest(deps, { context: requested, endpoint });
  assert.equal(body.max_completion_tokens, 900);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(body)));
  const capped = renderProviderRequest(deps, { context: requested, endpoint, maxOutputTokens: 300 });
  assert.equal(capped.body.max_completion_tokens, 300);
});

Deno.test("render sends parameters of open weights to a chat provider whose model lists them", () => {
  const { deps, context } = rig();
  const sampling = { topK: 40, minP: 0.1, topA: 0.2, repetitionPenalty: 1.1 };
  const requested = {
    ...context,
    request: modelRequest({ sampling, extra: { chat: { prediction: "Hi", other: 1 } } }),
  };
  const at = (supportedParameters: readonly string[]) => {
    const endpoint = testEndpoint({ provider: { wire: "chat" }, model: { supportedParameters } });
    const { body, dropped } = renderProviderRequest(deps, { context: requested, endpoint });
    const { model: _model, messages: _messages, stream: _stream, ...sent } = body;
    return { sent: Object.keys(sent), dropped };
  };
  const names = ["top_k", "top_a", "min_p", "repetition_penalty"];
  assert.deepEqual(at(["top_k"]), { sent: ["top_k"], dropped: [...names.slice(1), "prediction", "other"] });
  assert.deepEqual(at([...names, "prediction"]), { sent: [...names, "prediction"], dropped: ["other"] });
});
