import assert from "node:assert/strict";
import type { ApiErrorKind } from "../../../../shared/errors.ts";
import type { ProviderError } from "../../wire.ts";
import { parseError, parseFailure } from "./parse_error.ts";

const error = (type: string, message = "m") =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });

const kinds: readonly (readonly [number, string, ApiErrorKind, boolean])[] = [
  [400, error("invalid_request_error"), "invalid_request", false],
  [
    400,
    error("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "context_length",
    true,
  ],
  [
    400,
    error(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    ),
    "context_length",
    true,
  ],
  [
    400,
    error("invalid_request_error", "adaptive thinking is not supported on this model"),
    "invalid_request",
    true,
  ],
  [
    400,
    error("invalid_request_error", "service_tier: Extra inputs are not permitted"),
    "invalid_request",
    true,
  ],
  [400, error("invalid_request_error", "Could not process image"), "invalid_image", false],
  [
    400,
    error("invalid_request_error", "Output blocked by content filtering policy"),
    "content_policy",
    true,
  ],
  [
    400,
    error("invalid_request_error", "Your credit balance is too low to access the API"),
    "upstream_failed",
    false,
  ],
  [401, error("authentication_error"), "upstream_failed", false],
  [402, error("billing_error"), "upstream_failed", false],
  [403, error("permission_error"), "upstream_failed", false],
  [404, error("not_found_error", "model: claude-x"), "not_found", true],
  [413, error("request_too_large", "Request exceeds the maximum size"), "too_large", true],
  [413, "<html><title>Too large</title></html>", "too_large", true],
  [429, error("rate_limit_error"), "rate_limited", false],
  [500, error("api_error"), "upstream_failed", false],
  [500, error("overloaded_error"), "overloaded", false],
  [503, "", "unavailable", false],
  [503, error("api_error"), "unavailable", false],
  [504, error("timeout_error"), "upstream_timeout", false],
  [529, error("overloaded_error"), "overloaded", false],
  [529, "busy", "overloaded", false],
  [418, "{}", "upstream_failed", false],
];

Deno.test("parseError tells what an error means", () => {
  for (const [status, body, kind, endpointSpecific] of kinds) {
    const reported = parseError(status, body);
    assert.deepEqual(
      [reported.kind, reported.endpointSpecific],
      [kind, endpointSpecific],
      `${status} ${body}`,
    );
  }
});

const reported: readonly (readonly [number, string, Partial<ProviderError>])[] = [
  [400, error("invalid_request_error", "messages.1.content.0.text: Field  required\n"), {
    message: "messages.1.content.0.text: Field required",
    code: "invalid_request_error",
    param: "messages.1.content.0.text",
  }],
  [400, error("invalid_request_error", "At least one message is needed"), { param: undefined }],
  [401, error("authentication_error", "invalid x-api-key sk-ant-123"), {
    message: "The provider did not accept the credentials.",
  }],
  [400, error("invalid_request_error", "Your credit balance is too low"), {
    message: "The gateway's account at the provider has insufficient funds.",
  }],
  [502, "<html><head><title>Bad gateway</title></head></html>", { message: "Bad gateway", code: undefined }],
  [500, "", { message: "The provider answered 500." }],
  [500, '{"error":"down"}', { message: "down" }],
  [404, '{"detail":{"message":"no such model"}}', { message: "no such model" }],
];

Deno.test("parseError passes the provider's words on, and keeps our account out of them", () => {
  for (const [status, body, expected] of reported) {
    const { message, code, param } = parseError(status, body);
    const found: Partial<ProviderError> = { message, code, param };
    assert.deepEqual({ ...found, ...expected }, found, body);
  }
});

Deno.test("parseFailure reads errors inside a stream, whatever their shape", () => {
  assert.deepEqual(parseFailure({ type: "api_error", message: "m" }), {
    kind: "upstream_failed",
    message: "m",
    code: "api_error",
  });
  assert.equal(parseFailure(error("overloaded_error")).kind, "overloaded");
  assert.equal(parseFailure(undefined).message, "Provider call failed in the middle of its response.");
  assert.equal(parseFailure({ type: "authentication_error", message: "key sk-1" }).kind, "upstream_failed");
});
