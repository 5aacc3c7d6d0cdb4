import assert from "node:assert/strict";
import { McpError } from "./mcp_error.ts";
import { errorWithoutCredentials, withoutCredentials } from "./without_credentials.ts";

const TOKEN = "planted/4f9d+2c71=";
const ODD = 'say "no\\w"';
const server = { headers: { authorization: `Bearer ${TOKEN}`, "x-account": "1234567890", "x-odd": ODD } };

/** Texts and values that a server may send back, and what is left of them. */
const echoes: readonly (readonly [sent: unknown, left: unknown])[] = [
  [`You sent Bearer ${TOKEN}.`, "You sent [credential]."],
  [`You sent ${TOKEN}${TOKEN}.`, "You sent [credential][credential]."],
  [JSON.stringify({ token: TOKEN }), '{"token":"[credential]"}'],
  [JSON.stringify({ token: TOKEN }).replaceAll("/", "\\/"), '{"token":"[credential]"}'],
  [`https://example.com/?token=${encodeURIComponent(TOKEN)}`, "https://example.com/?token=[credential]"],
  [JSON.stringify({ odd: ODD }), '{"odd":"[credential]"}'],
  [{ account: 1234567890, other: 12345678901 }, { account: "[credential]", other: 12345678901 }],
  [{ [TOKEN]: [null, true, { deep: [TOKEN] }] }, {
    "[credential]": [null, true, { deep: ["[credential]"] }],
  }],
  [JSON.parse('{"__proto__": {"a": 1}}'), JSON.parse('{"__proto__": {"a": 1}}')],
  ["Bearer", "Bearer"],
];

Deno.test("credentials are taken out of an answer as servers spell them, and all else stays", () => {
  for (const [sent, left] of echoes) assert.deepEqual(withoutCredentials(sent, server), left);
});

Deno.test("an answer that is nested without end is an error of the protocol", () => {
  const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  assert.throws(() => withoutCredentials(deep, server), McpError);
});

Deno.test("an error's words are cut behind the search for credentials, wherever one stands in them", () => {
  for (let before = 950; before <= 1_010; before++) {
    const message = `${"x".repeat(before)}${TOKEN} and more`;
    const error = new McpError({ type: "mcp_protocol_error", code: 1, message });
    const cleaned = errorWithoutCredentials(error, server);
    assert.ok(cleaned instanceof McpError);
    assert.doesNotMatch(cleaned.fields.message, /plan/);
    assert.ok(cleaned.fields.message.length <= 1_000);
  }
});
