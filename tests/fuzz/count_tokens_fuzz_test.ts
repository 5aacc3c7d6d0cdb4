/** Damaged requests for a count of tokens: each is answered, and none is our fault. */

import assert from "node:assert/strict";
import { startMessagesMock } from "../mocks/messages_upstream.ts";
import { asObject } from "../support/event_stream.ts";
import { type Gateway, mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { samples } from "../differential/parameters.ts";
import { mutatedFrom, type MutatedRequest } from "./mutate.ts";
import { seed } from "../support/seed.ts";
import { runs } from "../support/property.ts";

const count = runs(1_000);

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } };
const document = {
  type: "document",
  source: { type: "text", media_type: "text/plain", data: "A plain text." },
};
const look = { name: "look", input_schema: { type: "object", properties: { at: { type: "string" } } } };

/** Every field that a message has, and a whole conversation. */
const corpus = [
  ...samples.filter(({ api }) => api === "messages").map(({ fields, with: beside }) => ({
    model: "mock/model",
    messages: [{ role: "user", content: "Hi" }],
    ...beside,
    ...fields,
  })),
  {
    model: "mock/model",
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "What is this?" }, image, document] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { at: "it" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image] }] },
    ],
    tools: [look],
  },
].map((body) => JSON.stringify(body));

async function send({ app, apiKey }: Gateway, { text }: MutatedRequest): Promise<number> {
  const headers = {
    host: "localhost",
    "x-api-key": apiKey,
    "content-type": "application/json",
    "content-length": String(new TextEncoder().encode(text).length),
  };
  const url = "http://localhost/v1/messages/count_tokens";
  const response = await app.fetch(new Request(url, { method: "POST", headers, body: text }));
  const body = asObject(await response.json());
  if (response.status === 200) {
    assert(Number.isSafeInteger(body.input_tokens) && Number(body.input_tokens) > 0);
    return 200;
  }
  assert([400, 404, 413].includes(response.status), `status ${response.status}: ${JSON.stringify(body)}`);
  const { type, message, details } = asObject(body.error);
  assert.equal(body.type, "error");
  assert(typeof type === "string" && typeof message === "string" && message.isWellFormed());
  if (response.status === 400) assert(details !== undefined, `400 names its path: ${message}`);
  return response.status;
}

for (const wire of ["messages", "chat"] as const) {
  Deno.test(`POST /messages/count_tokens answers every mutated request, on ${wire}`, async () => {
    const mock = startMessagesMock();
    try {
      const models = [{ ...mockModel, upstream_id: "claude-haiku-4-5-mock-model" }];
      await using gateway = await startGateway({
        providers: [providerAt(mock.url, { wire, models })],
        env: { LOG_LEVEL: "warn" },
      });
      const seen = new Map<number, number>();
      for (const mutated of mutatedFrom({ seed, count, corpus })) {
        try {
          const status = await send(gateway, mutated);
          seen.set(status, (seen.get(status) ?? 0) + 1);
        } catch (cause) {
          const what = `SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text.slice(0, 2_000)}`;
          throw new Error(what, { cause });
        }
      }
      for (const status of [200, 400]) assert((seen.get(status) ?? 0) > count / 20, `too few are ${status}`);
      assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
    } finally {
      await mock.close();
    }
  });
}
