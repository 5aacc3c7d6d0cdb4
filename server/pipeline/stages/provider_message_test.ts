import assert from "node:assert/strict";
import { testEndpoint } from "../../../tests/support/endpoint.ts";
import { cleanProviderMessage, noteSignedHeaders, redactFailure } from "./provider_message.ts";

const source = (options?: Parameters<typeof testEndpoint>[0]) => ({
  endpoint: testEndpoint(options),
  guards: undefined,
});

const words = (message: string, headers: Readonly<Record<string, string>>) =>
  cleanProviderMessage(message, source({ provider: { headers } }));

Deno.test("cleanProviderMessage leaves out the gateway's own key, whatever its form", () => {
  const key = "0f3e5d7a9b1c2d4e";
  const carriers: readonly Readonly<Record<string, string>>[] = [
    { authorization: `Bearer ${key}` },
    { "api-key": key },
  ];
  for (const headers of carriers) {
    assert.equal(
      words(`Access denied for ${key}, again ${key}`, headers),
      "Access denied for [redacted], again [redacted]",
    );
  }
});

Deno.test("a failure repeats no key in disguise, whether it is the message or the code", () => {
  const key = "Opaque_0123-456789abcdef";
  const endpoint = testEndpoint({ provider: { headers: { authorization: `Bearer ${key}` } } });
  const disguises = [
    key.toUpperCase(),
    key.replace("-", '" + "'),
    encodeURIComponent(key).replaceAll("_", "%5F"),
    btoa(`Bearer ${key}`),
    key.replaceAll("a", "\\u0061"),
  ];
  for (const disguise of disguises) {
    const { message, code } = redactFailure({ message: `No: ${disguise}`, code: disguise }, {
      endpoint,
      guards: undefined,
    });
    assert.match(message, /^No: \S{0,12}\[redacted\]\S{0,4}$/);
    assert.match(code, /^\S{0,12}\[redacted\]\S{0,4}$/);
  }
});

Deno.test("cleanProviderMessage leaves out what looks like a key, keeps what does not, and ends in time", () => {
  assert.equal(words("Bad key sk-abcdefghijklmnop", {}), "Bad key sk-[redacted]");
  assert.equal(words("Model 2024 is not known", { "x-version": "2024" }), "Model 2024 is not known");
  assert.equal(words("x".repeat(100_000), {}).length, 500);
});

Deno.test("cleanProviderMessage hands on no half of a character, wherever it came from", () => {
  const words = (text: string) => cleanProviderMessage(text, source({ provider: { headers: {} } }));
  assert.equal(words("Unknown: '\ud83d'"), "Unknown: '\ufffd'");
  assert(words("👋".repeat(100) + "x" + "👋".repeat(400)).isWellFormed());
  const failure = { message: "x", code: "x" + "👋".repeat(100) };
  assert(redactFailure(failure, source()).code.isWellFormed());
});

Deno.test("cleanProviderMessage and cleanFailure hand on no control characters", () => {
  const text = "Bad\u0000 request\u001b[31m:\r\n\tfield\u0085 x\u009b2J\u007f";
  assert.equal(words(text, {}), "Bad  request [31m: field  x 2J");
  const clean = redactFailure({ message: text, code: "bad\u001b[0m\ncode" }, source());
  assert.equal(clean.code, "bad [0m code");
  assert(!/\p{Cc}/u.test(clean.message));
});

Deno.test("redactFailure leaves the key out of a provider's code too", () => {
  const endpoint = testEndpoint({ provider: { headers: { authorization: "Bearer opaque-0123456789" } } });
  const failure = {
    message: "opaque-0123456789 is wrong",
    code: "opaque-0123456789",
    kind: "upstream_failed",
  };
  const clean = redactFailure(failure, { endpoint, guards: undefined });
  assert.deepEqual(clean, { ...failure, message: "[redacted] is wrong", code: "[redacted]" });
  assert.deepEqual(redactFailure({ message: "x", code: undefined }, { endpoint, guards: undefined }), {
    message: "x",
    code: undefined,
  });
});

Deno.test("cleanProviderMessage leaves out what tokens and signatures are made of", () => {
  const aws = {
    type: "aws_keys",
    accessKeyId: "access-key-id-0",
    secretAccessKey: "secret-access-key-0",
    region: "x",
    service: "bedrock",
  } as const;
  const endpoint = testEndpoint({ provider: { credential: aws } });
  assert.equal(
    cleanProviderMessage("access-key-id-0 or secret-access-key-0", { endpoint, guards: undefined }),
    "[redacted] or [redacted]",
  );
});

Deno.test("cleanProviderMessage leaves out the token that a call was authorised by", () => {
  const credential = {
    type: "client_credentials",
    tokenUrl: "https://example.com/token",
    clientId: "a",
    clientSecret: "opaque-secret-0123",
    scope: "b",
  } as const;
  const endpoint = testEndpoint({ provider: { credential } });
  noteSignedHeaders(credential, { authorization: "Bearer ya29.Opaque-Token_0123456789" });
  assert.equal(
    cleanProviderMessage("No YA29.OPAQUE-TOKEN_0123456789, no opaque-secret-0123", {
      endpoint,
      guards: undefined,
    }),
    "No [redacted], no [redacted]",
  );
});
