import assert from "node:assert/strict";
import { responsesInbound } from "./mod.ts";

const frame = (type: string) => responsesInbound.frame({ type, sequence_number: 1 });

Deno.test("frame says the type in an event line where it is a name of this API's", () => {
  const names = [
    "error",
    "response.created",
    "response.debug",
    "response.output_text.delta",
    "response.x_1.y2",
  ];
  for (const type of names) {
    assert.equal(frame(type), `event: ${type}\ndata: {"type":"${type}","sequence_number":1}\n\n`);
  }
});

Deno.test("frame has no event line for other types, and none that a type could write", () => {
  const others = [
    "",
    "keepalive",
    "errors",
    "thread.created",
    "response.",
    "response.Done",
    "response.a-b",
    " response.a",
    "response.a\n",
    "response.a\ndata: {}",
    "response.a\rdata: {}",
    "error\n\ndata: [DONE]",
  ];
  for (const type of others) {
    const data = JSON.stringify({ type, sequence_number: 1 });
    assert.equal(frame(type), `data: ${data}\n\n`, JSON.stringify(type));
  }
  assert.equal(responsesInbound.terminator, "data: [DONE]\n\n");
});
