import assert from "node:assert/strict";
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { anthropicOf } from "./anthropic.ts";
import { forEach, mocked, type Rig, targets, withTarget } from "./targets.ts";

const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hi" }];

type Kind = abstract new (...args: never[]) => APIError;

async function errorOf(client: Anthropic, body: object): Promise<APIError> {
  const thrown: APIError[] = [];
  await assert.rejects(
    () => client.post("/v1/messages", { body: { max_tokens: 100, messages, ...body } }),
    (error: unknown) => error instanceof APIError && thrown.push(error) > 0,
  );
  const [error] = thrown;
  assert(error !== undefined);
  return error;
}

type Wrong = readonly [Kind, string, (rig: Rig) => Promise<APIError>];

const wrong: Readonly<Record<string, Wrong>> = {
  "400 is a BadRequestError": [
    Anthropic.BadRequestError,
    "invalid_request_error",
    (rig) => errorOf(anthropicOf(rig), { model: rig.model, temperature: 3 }),
  ],
  "401 is an AuthenticationError": [
    Anthropic.AuthenticationError,
    "authentication_error",
    (rig) => errorOf(anthropicOf(rig, "wrong"), { model: rig.model }),
  ],
  "403 is a PermissionDeniedError": [
    Anthropic.PermissionDeniedError,
    "permission_error",
    (rig) => errorOf(anthropicOf(rig, rig.gateway.managementKey), { model: rig.model }),
  ],
  "404 is a NotFoundError": [
    Anthropic.NotFoundError,
    "not_found_error",
    (rig) => errorOf(anthropicOf(rig), { model: "no/such" }),
  ],
  "faults of meaning are 400": [
    Anthropic.BadRequestError,
    "invalid_request_error",
    (rig) => errorOf(anthropicOf(rig), { model: rig.model, tool_choice: { type: "tool", name: "x" } }),
  ],
};

for (const [what, [kind, type, call]] of Object.entries(wrong)) {
  forEach(targets, `@anthropic-ai/sdk: ${what}`, async (rig) => {
    const error = await call(rig);
    assert(error instanceof kind, `${error.constructor.name}: ${error.message}`);
    assert.equal(error.type, type);
    assert.match(error.requestID ?? "", /^req_[0-9a-f]{32}$/);
  });
}

for (const target of mocked) {
  Deno.test(`@anthropic-ai/sdk sees a provider's 429 as a RateLimitError, on ${target}`, () =>
    withTarget({ target, upstream: "mock-429" }, async (rig) => {
      const error = await errorOf(anthropicOf(rig), { model: rig.model });
      assert(error instanceof Anthropic.RateLimitError);
      assert.match(error.headers?.get("retry-after") ?? "", /^\d+$/);
    }));

  Deno.test(`@anthropic-ai/sdk throws on a failure in mid-stream, on ${target}`, () =>
    withTarget({ target, upstream: "mock-error-after", mock: { gapMs: 5 } }, async (rig) => {
      const stream = anthropicOf(rig).messages.stream({
        model: rig.model,
        max_tokens: 100,
        messages: [{ role: "user", content: "Hello there, this is long enough to be cut" }],
      });
      const deltas: string[] = [];
      stream.on("text", (delta) => deltas.push(delta));
      await assert.rejects(() => stream.finalMessage(), APIError);
      assert(deltas.join("").startsWith("You said"), "what was said before stands");
    }));
}

forEach(["echo"], "two credentials that differ are none", async (rig) => {
  const both = (bearer: string) =>
    fetch(`${rig.gateway.url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": rig.gateway.apiKey,
        authorization: `Bearer ${bearer}`,
      },
      body: JSON.stringify({ model: rig.model, max_tokens: 10, messages }),
    });
  for (const [bearer, status] of [[rig.gateway.apiKey, 200], [rig.gateway.managementKey, 401]] as const) {
    const response = await both(bearer);
    await response.body?.cancel();
    assert.equal(response.status, status);
  }
});
