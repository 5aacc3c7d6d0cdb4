import assert from "node:assert/strict";
import { testEndpoint } from "../../tests/support/endpoint.ts";
import { providerWords } from "./provider_words.ts";

const words = (message: string, headers: Readonly<Record<string, string>>) =>
  providerWords(message, testEndpoint({ provider: { headers } }));

Deno.test("providerWords leaves out the gateway's own key, whatever its form", () => {
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

Deno.test("providerWords leaves out what looks like a key, keeps what does not, and ends in time", () => {
  assert.equal(words("Bad key sk-abcdefghijklmnop", {}), "Bad key sk-[redacted]");
  assert.equal(words("Model 2024 is not known", { "x-version": "2024" }), "Model 2024 is not known");
  assert.equal(words("x".repeat(100_000), {}).length, 500);
});
