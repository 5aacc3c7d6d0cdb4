import assert from "node:assert/strict";
import { parseError, parseFailure } from "./parse_error.ts";

const body = (status: string, message: string, { details }: { details?: readonly unknown[] } = {}) =>
  JSON.stringify({ error: { code: 400, status, message, details } });

type Case = readonly [status: number, body: string, kind: string, endpointSpecific: boolean];

const cases: Readonly<Record<string, Case>> = {
  "quota": [
    429,
    body(
      "RESOURCE_EXHAUSTED",
      "You exceeded your current quota, please check your plan and billing details.",
    ),
    "rate_limited",
    false,
  ],
  "credits used up": [
    429,
    body("RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."),
    "upstream_failed",
    false,
  ],
  "overloaded": [
    503,
    body("UNAVAILABLE", "The model is overloaded. Please try again later."),
    "overloaded",
    false,
  ],
  "unavailable": [503, body("UNAVAILABLE", "The service is currently unavailable."), "unavailable", false],
  "too late": [
    504,
    body("DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
    "upstream_timeout",
    false,
  ],
  "key": [
    400,
    body("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "upstream_failed",
    false,
  ],
  "no key": [
    403,
    body("PERMISSION_DENIED", "Method doesn't allow unregistered callers."),
    "upstream_failed",
    false,
  ],
  "token": [
    401,
    body("UNAUTHENTICATED", "Request had invalid authentication credentials."),
    "upstream_failed",
    false,
  ],
  "place": [
    400,
    body("FAILED_PRECONDITION", "User location is not supported for the API use."),
    "upstream_failed",
    false,
  ],
  "too long": [
    400,
    body(
      "INVALID_ARGUMENT",
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "context_length",
    true,
  ],
  "model": [404, body("NOT_FOUND", "models/x is not found for API version v1beta."), "not_found", true],
  "field": [
    400,
    body("INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "x": Cannot find field.'),
    "invalid_request",
    true,
  ],
  "penalty": [
    400,
    body("INVALID_ARGUMENT", "Penalty is not enabled for models/gemini-4-neon"),
    "invalid_request",
    true,
  ],
  "value": [
    400,
    body("INVALID_ARGUMENT", "temperature must be in the range [0.0, 2.0]."),
    "invalid_request",
    false,
  ],
  "image": [
    400,
    body("INVALID_ARGUMENT", "Unable to process input image. Please retry."),
    "invalid_image",
    false,
  ],
  "internal": [500, body("INTERNAL", "An internal error has occurred."), "upstream_failed", false],
  "too long, internal": [500, body("INTERNAL", "Input tokens exceeds the limit"), "context_length", true],
  "a list": [429, `[${body("RESOURCE_EXHAUSTED", "Quota")}]`, "rate_limited", false],
  "a page": [502, "<html><title>502 Bad Gateway</title></html>", "upstream_failed", false],
  "nothing": [503, "", "unavailable", false],
  "text": [400, "bad", "invalid_request", false],
};

Deno.test("parseError tells what Google's errors mean (U2–U4)", async (t) => {
  for (const [name, [status, text, kind, endpointSpecific]] of Object.entries(cases)) {
    await t.step(name, () => {
      const error = parseError(status, text);
      assert.deepEqual([error.kind, error.endpointSpecific], [kind, endpointSpecific]);
      assert.doesNotMatch(error.message, /API key not valid|prepayment|unregistered/);
    });
  }
});

Deno.test("parseError finds the finer word, the field and the delay in the details", () => {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "RATE_LIMIT_EXCEEDED" },
    {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "contents[0].parts" }],
    },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.2s" },
  ];
  assert.deepEqual(parseError(429, body("RESOURCE_EXHAUSTED", "Quota", { details })), {
    kind: "rate_limited",
    message: "Quota",
    code: "RATE_LIMIT_EXCEEDED",
    param: "contents[0].parts",
    endpointSpecific: false,
    retryAfter: 2,
  });
  assert.equal(parseError(502, "<html><title>502 Bad Gateway</title></html>").message, "502 Bad Gateway");
  assert.equal(parseError(503, "").message, "The provider answered 503.");
});

Deno.test("parseFailure reads errors inside a stream", () => {
  assert.deepEqual(parseFailure({ code: 503, status: "UNAVAILABLE", message: "overloaded" }), {
    kind: "overloaded",
    message: "overloaded",
    code: "UNAVAILABLE",
  });
  assert.deepEqual(parseFailure("broken"), { kind: "upstream_failed", message: "broken", code: undefined });
  assert.equal(parseFailure({ code: 401 }).kind, "upstream_failed");
  assert.equal(parseFailure({ status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "7s" }] }).retryAfter, 7);
});
