import assert from "node:assert/strict";
import type { Plan } from "../mocks/plan.ts";
import { upstreams } from "../mocks/upstreams.ts";
import { ask, readJson } from "../support/call.ts";
import { asList, asObject, checkStream, readStream } from "../support/event_stream.ts";
import { mockModel, providerAt, startGateway } from "../support/gateway.ts";
import { toolsOf } from "./sent.ts";

const plan: Plan = {
  items: [{ type: "call", kind: "function", callId: "call_1", name: "t2fa_code", arguments: '{"length":6}' }],
  finish: "stop",
  pieces: [3],
};
const tool = {
  type: "function",
  name: "2fa_code",
  parameters: { type: "object", properties: {} },
  strict: false,
};

Deno.test("a tool whose name begins with a digit has a letter in front at Gemini, and its own name in the answer", async () => {
  const mock = upstreams.gemini.start({ answer: () => plan });
  try {
    const models = [{ ...mockModel, upstream_id: "gemini-3-flash" }];
    await using gateway = await startGateway({
      providers: [providerAt(mock.url, { wire: "gemini", models })],
    });
    for (const stream of [false, true]) {
      const body = {
        model: "mock/model",
        stream,
        tools: [tool],
        tool_choice: { type: "function", name: "2fa_code" },
        input: [
          { type: "message", role: "user", content: "Code?" },
          { type: "function_call", call_id: "call_0", name: "2fa_code", arguments: "{}" },
          { type: "function_call_output", call_id: "call_0", output: "expired" },
        ],
      };
      const response = await ask(gateway, body);
      const result = stream ? checkStream(await readStream(response)) : await readJson(response);
      const calls = asList(asObject(result).output).map(asObject).filter(({ type }) =>
        type === "function_call"
      );
      assert.deepEqual(calls.map(({ name }) => name), ["2fa_code"]);
      const sent = mock.requests.at(-1)?.body ?? {};
      assert.deepEqual([...toolsOf({ wire: "gemini", body: sent, headers: new Headers() }).keys()], [
        "t2fa_code",
      ]);
      assert.doesNotMatch(JSON.stringify(sent), /"2fa_code"/);
    }
    assert.equal(mock.requests.length, 2);
  } finally {
    await mock.close();
  }
});
