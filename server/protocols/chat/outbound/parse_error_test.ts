import assert from "node:assert/strict";
import type { Failure } from "../../canonical/event.ts";
import type { ProviderError } from "../../wire.ts";
import { parseError, parseFailure } from "./parse_error.ts";

const openai = (message: string, { type = "", code = "", param = "" } = {}) => ({
  error: { message, type, code, param },
});

const cases: readonly (readonly [string, number, unknown, Partial<ProviderError>])[] = [
  ["a wrong value", 400, openai("Invalid value: 'x'", { type: "invalid_request_error", param: "top_p" }), {
    kind: "invalid_request",
    code: "invalid_request_error",
    param: "top_p",
    message: "Invalid value: 'x'",
    endpointSpecific: false,
  }],
  [
    "an unsupported parameter",
    400,
    openai("Unsupported parameter: 'verbosity'", { code: "unsupported_parameter" }),
    {
      kind: "invalid_request",
      endpointSpecific: true,
    },
  ],
  ["an unsupported modality", 400, openai("This model does not support image input"), {
    kind: "invalid_request",
    endpointSpecific: true,
  }],
  [
    "context length by code",
    400,
    openai("This model's maximum context length is 8192 tokens.", { code: "context_length_exceeded" }),
    { kind: "context_length", code: "context_length_exceeded", endpointSpecific: true },
  ],
  ["context length by words (vLLM)", 400, {
    object: "error",
    message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
    type: "BadRequestError",
    code: 400,
  }, { kind: "context_length", code: "BadRequestError", endpointSpecific: true }],
  [
    "context length (llama.cpp)",
    400,
    openai("the request exceeds the available context size, try increasing it", {
      type: "exceed_context_size_error",
    }),
    { kind: "context_length" },
  ],
  ["a filtered prompt (Azure)", 400, openai("The response was filtered", { code: "content_filter" }), {
    kind: "content_policy",
  }],
  ["a bad image", 400, openai("Invalid image.", { code: "invalid_image_url" }), { kind: "invalid_image" }],
  ["our key", 401, openai("Incorrect API key provided: sk-abc", { code: "invalid_api_key" }), {
    kind: "upstream_failed",
    code: "invalid_api_key",
    message: "The provider did not accept the credentials.",
    endpointSpecific: false,
  }],
  ["our purse", 402, openai("Insufficient credits"), { kind: "upstream_failed" }],
  ["our rights", 403, openai("Project has no access"), { kind: "upstream_failed" }],
  ["a model it does not have", 404, openai("The model `x` does not exist", { code: "model_not_found" }), {
    kind: "not_found",
    code: "model_not_found",
    endpointSpecific: true,
  }],
  ["a time-out", 408, "", { kind: "upstream_timeout" }],
  ["a large body", 413, openai("Request too large"), { kind: "too_large", endpointSpecific: true }],
  [
    "tokens per minute (Groq)",
    413,
    openai("Request too large", { type: "tokens", code: "rate_limit_exceeded" }),
    {
      kind: "rate_limited",
    },
  ],
  ["FastAPI's list", 422, {
    detail: [{ loc: ["body", "messages", 0, "role"], msg: "Field required", type: "missing" }],
  }, {
    kind: "invalid_request",
    message: "messages.0.role: Field required",
    param: "messages.0.role",
  }],
  ["a rate limit", 429, openai("Rate limit reached", { type: "requests", code: "rate_limit_exceeded" }), {
    kind: "rate_limited",
    code: "rate_limit_exceeded",
  }],
  ["a rate limit without words", 429, "", { kind: "rate_limited", message: "The provider answered 429." }],
  ["an account out of quota", 429, openai("You exceeded your quota", { code: "insufficient_quota" }), {
    kind: "upstream_failed",
    code: "insufficient_quota",
  }],
  ["our key (Google)", 400, [{
    error: { code: 400, message: "API key not valid. Please pass one.", status: "X" },
  }], {
    kind: "upstream_failed",
    message: "The provider did not accept the credentials.",
  }],
  ["a crash", 500, openai("The server had an error", { type: "server_error" }), {
    kind: "upstream_failed",
    code: "server_error",
  }],
  [
    "a bad gateway's page",
    502,
    "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    {
      kind: "upstream_failed",
      message: "502 Bad Gateway",
    },
  ],
  ["unavailable", 503, { message: "Service unavailable" }, {
    kind: "unavailable",
    message: "Service unavailable",
  }],
  ["overloaded by words", 503, openai("The model is overloaded. Try later."), { kind: "overloaded" }],
  ["a gateway's time-out", 504, "upstream request timeout", { kind: "upstream_timeout" }],
  ["Cloudflare's time-out", 524, "<html>", {
    kind: "upstream_timeout",
    message: "The provider answered 524.",
  }],
  ["overloaded", 529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, {
    kind: "overloaded",
    code: "overloaded_error",
    message: "Overloaded",
  }],
  ["a teapot", 418, "", { kind: "upstream_failed" }],
  ["error as text", 400, { error: "model is required" }, { message: "model is required" }],
  ["detail as text", 404, { detail: "Not Found" }, { message: "Not Found" }],
  ["detail as an object", 400, { detail: { message: "nope" } }, { message: "nope" }],
  ["a list (Google)", 400, [{ error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }], {
    message: "bad",
    code: "INVALID_ARGUMENT",
  }],
  ["a list of errors", 400, { errors: [{ message: "first" }, { message: "second" }] }, { message: "first" }],
  ["null", 500, null, { message: "The provider answered 500." }],
  ["a number", 500, 7, { message: "The provider answered 500." }],
  ["plain words", 500, "out of\n  memory", { message: "out of memory" }],
  ["odd types inside", 500, { error: { message: 1, code: {}, type: null } }, {
    message: "The provider answered 500.",
  }],
];

Deno.test("parseError tells the dialects of errors apart (U2, U4)", async (t) => {
  for (const [name, status, body, expected] of cases) {
    await t.step(`${status} ${name}`, () => {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      assert.partialDeepStrictEqual(parseError(status, text), expected);
    });
  }
});

Deno.test("parseError keeps messages short", () => {
  assert.equal(parseError(500, "x".repeat(5000)).message.length, 300);
});

const inside: readonly (readonly [string, unknown, Partial<Failure>])[] = [
  ["a rate limit", { message: "Slow down", code: "rate_limit_exceeded" }, {
    kind: "rate_limited",
    message: "Slow down",
  }],
  ["overloaded", { type: "overloaded_error", message: "Overloaded" }, {
    kind: "overloaded",
    code: "overloaded_error",
  }],
  ["context length", { message: "m", code: "context_length_exceeded" }, { kind: "context_length" }],
  ["a status", { message: "No luck", code: 502 }, { kind: "upstream_failed", message: "No luck" }],
  ["429 as a number", { message: "m", code: 429 }, { kind: "rate_limited" }],
  ["our key", { message: "Bad key sk-1", code: 401 }, {
    kind: "upstream_failed",
    message: "The provider did not accept the credentials.",
  }],
  ["a time-out", { message: "m", type: "timeout_error" }, { kind: "upstream_timeout" }],
  ["a server error", { message: "m", type: "server_error" }, {
    kind: "upstream_failed",
    code: "server_error",
  }],
  ["text", "it broke", { kind: "upstream_failed", message: "it broke" }],
  ["JSON as text", '{"error":{"message":"m","type":"overloaded_error"}}', {
    kind: "overloaded",
    message: "m",
  }],
  ["nothing", {}, {
    kind: "upstream_failed",
    message: "Provider call failed in the middle of its response.",
  }],
];

Deno.test("parseFailure tells errors inside a stream apart", async (t) => {
  for (const [name, error, expected] of inside) {
    await t.step(name, () => assert.partialDeepStrictEqual(parseFailure(error), expected));
  }
});
