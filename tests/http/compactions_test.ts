/** A conversation whose beginning is a compaction is not answered without it. */

import assert from "node:assert/strict";
import { upstreams } from "../mocks/upstreams.ts";
import { ask, readError, readJson } from "../support/call.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";

const question = { role: "user", content: "And now?" };
const compactions = [
  { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAA==" },
  { type: "context_compaction", encrypted_content: "gAAAAA==" },
  { type: "compaction", encrypted_content: "tg1.responses.nobody.gAAAAA==" },
  { type: "compaction", encrypted_content: "tg2.chat.nobody.e30" },
];

for (const wire of ["chat", "messages", "gemini", "bedrock"] as const) {
  Deno.test(`POST /responses answers 400 where only ${wire} could serve a compaction`, async () => {
    const mock = upstreams[wire].start();
    try {
      const models = [{ ...mockModel, upstream_id: `${upstreams[wire].prefix}mock` }];
      await using gateway = await startGateway({ providers: [providerAt(mock.url, { wire, models })] });
      for (const item of compactions) {
        for (const stream of [false, true]) {
          const reply = await ask(gateway, { model: "mock/model", input: [item, question], stream });
          const { status, error } = await readError(reply);
          assert.equal(status, 400);
          assert.equal(asObject(error.metadata).path, "input");
        }
      }
      assert.equal(mock.requests.length, 0);
    } finally {
      await mock.close();
    }
  });
}

Deno.test("POST /responses sends a compaction without a mark to a Responses provider as it is", async () => {
  const mock = upstreams.responses.start();
  try {
    await using gateway = await startGateway({ providers: [providerAt(mock.url)] });
    for (const item of compactions.slice(0, 2)) {
      await readJson(await ask(gateway, { model: "mock/model", input: [item, question] }));
      const [sent] = asList(mock.requests.at(-1)?.body.input);
      assert.deepEqual(sent, { ...item, type: "compaction" });
    }
    for (const item of compactions.slice(2)) {
      const reply = await ask(gateway, { model: "mock/model", input: [item, question] });
      assert.equal((await readError(reply)).status, 400);
    }
  } finally {
    await mock.close();
  }
});
