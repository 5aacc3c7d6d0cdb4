/** The reason why a response ended: the receipt and `GET /generation` say the one that the client was told. */

import assert from "node:assert/strict";
import { receiptOf } from "../money/rig.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import {
  type Api,
  apis,
  calls,
  planOf,
  says,
  send,
  type Sent,
  type Turns,
  upstreamWires,
  withTools,
} from "./rig.ts";

const called = calls("look_up", { args: { city: "Rome" } });
const clock = calls("datetime");

interface Row {
  readonly turns: Turns;
  readonly tools: readonly string[];
  readonly reason: "stop" | "tool_calls" | "length";
}

/** By what the model does. */
const rows: Readonly<Record<string, Row>> = {
  "says something": { turns: () => [says("Hi.")], tools: ["look_up"], reason: "stop" },
  "calls a function": { turns: () => [called], tools: ["look_up"], reason: "tool_calls" },
  "says something and calls": {
    turns: () => [says("Well."), called],
    tools: ["look_up"],
    reason: "tool_calls",
  },
  "is cut": {
    turns: () => ({ ...planOf([says("Hi.")]), finish: "length" }),
    tools: ["look_up"],
    reason: "length",
  },
  "uses a server tool and says something": {
    turns: (turn) => turn === 0 ? [clock] : [says("Noon.")],
    tools: ["look_up", "datetime"],
    reason: "stop",
  },
  "uses a server tool and calls": {
    turns: (turn) => turn === 0 ? [clock] : [called],
    tools: ["look_up", "datetime"],
    reason: "tool_calls",
  },
  "calls both at once": {
    turns: () => [clock, called],
    tools: ["look_up", "datetime"],
    reason: "tool_calls",
  },
  "calls a server tool that the client runs": {
    turns: () => [calls("apply_patch", { args: { type: "delete_file", path: "a.txt" } })],
    tools: ["apply_patch"],
    reason: "tool_calls",
  },
};

const schema = { type: "object", properties: { city: { type: "string" } } };

function toolOf(api: Api, name: string): Json {
  if (name !== "look_up") return { type: `service:${name}` };
  if (api === "responses") return { type: "function", name, parameters: schema };
  return api === "chat"
    ? { type: "function", function: { name, parameters: schema } }
    : { name, input_schema: schema };
}

const bodyOf = (api: Api, { tools }: Row): Json => ({
  ...(api === "responses" ? { input: "Hi" } : { messages: [{ role: "user", content: "Hi" }] }),
  ...(api === "messages" ? { max_tokens: 500 } : {}),
  tools: tools.map((name) => toolOf(api, name)),
});

/** Reason that the client was told, in the receipt's words; undefined on the API that has none. */
function reportedReason(api: Api, { text }: Sent): string | undefined {
  if (api === "responses") return undefined;
  const words = api === "chat" ? /"finish_reason":"(\w+)"/g : /"stop_reason":"(\w+)"/g;
  const [, reason = ""] = [...text.matchAll(words)].at(-1) ?? [];
  return { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length" }[reason] ?? reason;
}

for (const [name, row] of Object.entries(rows)) {
  Deno.test(`a receipt has the reason that the client was told, where the model ${name}`, async () => {
    await withTools({}, async ({ gateway, plan }) => {
      for (const wire of upstreamWires) {
        for (const api of apis) {
          for (const stream of [false, true]) {
            const place = `${wire} ${api} ${stream}`;
            plan(row.turns);
            const body = { ...bodyOf(api, row), model: `mock/${wire}`, stream };
            const sent = await send(gateway, { api, body });
            assert.equal(sent.status, 200, sent.text);
            if (api !== "responses") {
              assert.equal(reportedReason(api, sent), row.reason, `${place}: ${sent.text}`);
            }
            const receipt = await receiptOf(gateway, sent);
            assert.equal(receipt.finish_reason, row.reason, place);
            const response = await fetch(`${gateway.url}/v1/generation?id=${receipt.id}`, {
              headers: { authorization: `Bearer ${gateway.apiKey}` },
            });
            const { data } = asObject(await response.json());
            assert.equal(asObject(data).finish_reason, row.reason, place);
          }
        }
      }
    });
  });
}
