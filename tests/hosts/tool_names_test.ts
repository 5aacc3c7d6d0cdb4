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

const body = {
  model: "mock/model",
  tools: [tool],
  tool_choice: { type: "function", name: "2fa_code" },
  input: [
    { type: "message", role: "user", content: "Code?" },
    { type: "function_call", call_id: "call_0", name: "2fa_code", arguments: "{}" },
    { type: "function_call_output", call_id: "call_0", output: "expired" },
  ],
};

/** A provider of Gemini's wire, and one of another wire that has a model of that family or a row that says so. */
const places: readonly Place[] = [
  { name: "at Gemini", wire: "gemini", model: { upstream_id: "gemini-3-flash" } },
  { name: "at Gemini behind a chat server", wire: "chat", model: { upstream_id: "google/gemini-3.5-flash" } },
  {
    name: "at a chat server whose model's row says so",
    wire: "chat",
    model: { upstream_id: "acme", traits: ["letter_names"] },
  },
];

interface Place {
  readonly name: string;
  readonly wire: "gemini" | "chat";
  readonly model: Readonly<Record<string, unknown>>;
}

for (const { name, wire, model } of places) {
  Deno.test(`a tool whose name begins with a digit has a letter in front ${name}, and its own in the answer`, async () => {
    const mock = upstreams[wire].start({ answer: () => plan });
    try {
      await using gateway = await startGateway({
        providers: [providerAt(mock.url, { wire, models: [{ ...mockModel, ...model }] })],
      });
      for (const stream of [false, true]) {
        const response = await ask(gateway, { ...body, stream });
        const result = stream ? checkStream(await readStream(response)) : await readJson(response);
        const calls = asList(asObject(result).output).map(asObject).filter(({ type }) =>
          type === "function_call"
        );
        assert.deepEqual(calls.map(({ name }) => name), ["2fa_code"]);
        const sent = mock.requests.at(-1)?.body ?? {};
        assert.deepEqual([...toolsOf({ wire, body: sent, headers: new Headers() }).keys()], ["t2fa_code"]);
        assert.doesNotMatch(JSON.stringify(sent), /"2fa_code"/);
      }
      assert.equal(mock.requests.length, 2);
    } finally {
      await mock.close();
    }
  });
}
