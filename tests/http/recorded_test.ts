/** Nothing that a real client was seen to send is refused for its shape. */

import assert from "node:assert/strict";
import { recordedRequests } from "../fuzz/recorded.ts";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import { ask, readJson } from "../support/call.ts";
import { checkStream, type Json, readStream } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";

const own = ["authorization", "host", "content-length", "content-type", "connection", "transfer-encoding"];

/** Long values were shortened when they were recorded, with a sign that no header may hold. */
function headersOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const rest = Object.entries(headers).filter(([name]) => !own.includes(name.toLowerCase()));
  return Object.fromEntries(rest.map(([name, value]) => [name, value.replace(/[^\x20-\x7e]/g, ".")]));
}

async function answered(gateway: Gateway, model: string): Promise<void> {
  const recorded = recordedRequests();
  assert(recorded.length >= 20);
  for (const { name, headers, body } of recorded) {
    try {
      const response = await ask(gateway, { ...body, model }, { headers: headersOf(headers) });
      const result: Json = body.stream === true
        ? checkStream(await readStream(response))
        : await readJson(response);
      assert(["completed", "incomplete"].includes(String(result.status)), String(result.status));
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
}

Deno.test("POST /responses answers every recorded request, on echo", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_LOCAL: "on" } });
  await answered(gateway, "local/echo");
});

for (const [wire, start] of [["responses", startResponsesMock], ["chat", startChatMock]] as const) {
  Deno.test(`POST /responses answers every recorded request, on ${wire}`, async () => {
    const mock = start();
    try {
      await using gateway = await startGateway({ providers: [providerAt(mock.url, { wire })] });
      await answered(gateway, "mock/model");
    } finally {
      await mock.close();
    }
  });
}
