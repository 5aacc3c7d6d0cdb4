import assert from "node:assert/strict";
import { parseError } from "./parse_error.ts";

const error = (fields: Record<string, unknown>) => JSON.stringify({ error: fields });

Deno.test("U4 parseError never tells a client that its key is bad", () => {
  for (const status of [401, 402, 403]) {
    const body = error({ message: "Incorrect API key provided: sk-proj-abc123def", code: "invalid_api_key" });
    const reported = parseError(status, body);
    assert.equal(reported.kind, "upstream_failed");
    assert.doesNotMatch(JSON.stringify(reported), /sk-|invalid_api_key|key/i);
  }
  const quota = parseError(
    429,
    error({ message: "You exceeded your current quota", code: "insufficient_quota" }),
  );
  assert.deepEqual([quota.kind, quota.code], ["upstream_failed", undefined]);
  assert.doesNotMatch(quota.message, /quota/);
});

Deno.test("parseError judges by the status", () => {
  const kinds = [
    [404, "not_found", true],
    [408, "upstream_timeout", false],
    [413, "too_large", true],
    [422, "invalid_request", false],
    [429, "rate_limited", false],
    [500, "upstream_failed", false],
    [502, "upstream_failed", false],
    [503, "unavailable", false],
    [504, "upstream_timeout", false],
    [524, "upstream_timeout", false],
    [529, "overloaded", false],
    [301, "upstream_failed", false],
  ] as const;
  for (const [status, kind, endpointSpecific] of kinds) {
    assert.partialDeepStrictEqual(parseError(status, error({ message: "m" })), { kind, endpointSpecific });
  }
});

Deno.test("parseError judges by the code and the words where the status leaves room", () => {
  const rows = [
    [400, { code: "context_length_exceeded" }, "context_length", true],
    [400, { message: "This model's maximum context length is 8 tokens" }, "context_length", true],
    [400, { code: "unsupported_parameter", param: "top_p" }, "invalid_request", true],
    [400, { code: "unknown_parameter" }, "invalid_request", true],
    [400, { message: "Model does not support image input" }, "invalid_request", true],
    [400, { code: "invalid_encrypted_content" }, "invalid_request", true],
    [400, { code: "invalid_base64_image" }, "invalid_image", false],
    [400, { code: "content_policy_violation" }, "content_policy", true],
    [400, { code: "invalid_value" }, "invalid_request", false],
    [429, { code: "insufficient_quota" }, "upstream_failed", false],
    [429, { code: "rate_limit_exceeded" }, "rate_limited", false],
    [429, { code: "server_error" }, "rate_limited", false],
    [500, { type: "overloaded_error" }, "overloaded", false],
  ] as const;
  for (const [status, fields, kind, endpointSpecific] of rows) {
    const reported = parseError(status, error(fields));
    assert.partialDeepStrictEqual(reported, { kind, endpointSpecific }, JSON.stringify(fields));
  }
});

Deno.test("parseError keeps message, code and parameter, whatever shape they come in", () => {
  assert.deepEqual(parseError(400, error({ message: "Bad x", type: "t", code: "c", param: "x" })), {
    kind: "invalid_request",
    endpointSpecific: false,
    message: "Bad x",
    code: "c",
    param: "x",
  });
  assert.equal(parseError(400, '{"error":"Bad"}').message, "Bad");
  assert.equal(parseError(400, '{"object":"error","message":"Bad","code":400}').message, "Bad");
  assert.equal(parseError(422, '{"detail":[{"loc":["body"],"msg":"a"},{"msg":"b"}]}').message, "a; b");
  assert.equal(parseError(400, '{"detail":"Bad"}').message, "Bad");
});

Deno.test("parseError passes on no page, no secret and no essay", () => {
  assert.equal(parseError(502, "<html>nginx</html>").message, "The provider answered with status 502.");
  assert.equal(parseError(500, "").message, "The provider answered with status 500.");
  const long = parseError(400, error({ message: `a\n\u0000b ${"x".repeat(5_000)}` })).message;
  assert.equal(long.length, 300);
  assert.ok(long.startsWith("a b x"));
  const secret = error({
    message: "org org-Ab12Cd34 used Bearer abc.def and AIzaSyA1234567890; a key-value pair",
  });
  const clean = "org [redacted] used [redacted] and [redacted]; a key-value pair";
  assert.equal(parseError(400, secret).message, clean);
});
