/** Marks of a failed tool from a client of the Messages API, on every wire that has a word for it. */

import assert from "node:assert/strict";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { endpointTraits } from "../support/requests.ts";

interface Marks {
  readonly wire: WireId;
  readonly failed: string;
  readonly well: string;
}

/** Chat and Responses have no word for it. */
const marks: readonly Marks[] = [
  { wire: "messages", failed: '"is_error":true', well: '"type":"tool_result"' },
  { wire: "bedrock", failed: '"status":"error"', well: '"toolResult"' },
  {
    wire: "gemini",
    failed: '"response":{"error":"no such file"}',
    well: '"response":{"output":"no such file"}',
  },
];

const contents = {
  "a text": "no such file",
  "blocks": [{ type: "text", text: "no such file" }],
} as const;

function sentTo(wire: WireId, result: object): string {
  const { request } = messagesInbound.parseRequest({
    model: "acme/one",
    max_tokens: 100,
    tools: [{ name: "read", input_schema: { type: "object" } }],
    messages: [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", ...result }] },
    ],
  }, {});
  return JSON.stringify(outboundFor(wire).renderRequest(request, endpointTraits()).body);
}

for (const { wire, failed, well } of marks) {
  for (const [form, content] of Object.entries(contents)) {
    Deno.test(`renderRequest says on ${wire} that a tool failed which gave ${form}`, () => {
      const body = sentTo(wire, { content, is_error: true });
      assert(body.includes(failed), body);
      for (const is_error of [false, undefined]) {
        const other = sentTo(wire, { content, is_error });
        assert(other.includes(well) && !other.includes(failed), other);
      }
    });
  }
}
