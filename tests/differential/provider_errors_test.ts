/** Tests that a provider's status about itself wins over its word for the error, on every wire. */

import assert from "node:assert/strict";
import type { ApiErrorKind } from "../../shared/errors.ts";
import { wires } from "../golden/wires.ts";

const json = (value: unknown) => JSON.stringify(value);
const message = "messages: at least one message is required";

/** An error that blames the request, or says that nothing is there, in each dialect. */
const blames: Readonly<Record<string, readonly string[]>> = {
  messages: ["invalid_request_error", "not_found_error", "request_too_large"].map((
    type,
  ) => json({ type: "error", error: { type, message } })),
  chat: ["invalid_request_error", "content_filter", "not_found_error"].map((code) =>
    json({ error: { type: code, code, message } })
  ),
  responses: ["invalid_request_error", "content_policy_violation", "not_found"].map((code) =>
    json({ error: { type: code, code, message } })
  ),
  gemini: ["INVALID_ARGUMENT", "FAILED_PRECONDITION", "NOT_FOUND"].map((status) =>
    json({ error: { status, message } })
  ),
  bedrock: ["ValidationException", "ResourceNotFoundException"].map((__type) => json({ __type, message })),
};

const byStatus: Readonly<Record<number, ApiErrorKind>> = {
  429: "rate_limited",
  500: "upstream_failed",
  502: "upstream_failed",
  503: "unavailable",
  504: "upstream_timeout",
};

for (const [wire, bodies] of Object.entries(blames)) {
  Deno.test(`${wire}: a status of 429 or 5xx wins over the error's type`, () => {
    for (const body of bodies) {
      for (const [status, kind] of Object.entries(byStatus)) {
        const error = wires[wire]?.parseError(Number(status), body);
        assert.equal(error?.kind, kind, `${status} ${body}`);
        assert.equal(error?.endpointSpecific, false);
        assert.equal(error?.message, message);
      }
    }
  });
}

Deno.test("messages: an overload stays one, whichever status of the server it comes with", () => {
  const body = json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  for (const status of [500, 503, 529]) {
    assert.equal(wires.messages?.parseError(status, body).kind, "overloaded");
  }
  assert.equal(wires.messages?.parseError(429, body).kind, "rate_limited");
});
