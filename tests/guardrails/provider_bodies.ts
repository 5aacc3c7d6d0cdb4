/** Responses of providers of other wires than chat, whole and as streams. */

import type { Json } from "../support/event_stream.ts";
import { type Requested, sse } from "../support/scripted.ts";

export type ProviderScript = (requested: Requested) => Response;

const event = (value: Json) => `event: ${String(value.type)}\ndata: ${JSON.stringify(value)}\n\n`;

const usage = { input_tokens: 7, output_tokens: 5 };

/** A command that ran at Anthropic, with its output. */
export function messagesBlocks(text: string): ProviderScript {
  const call = {
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "bash_code_execution",
    input: { command: text },
  };
  const result = {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "bash_code_execution_result", stdout: text, stderr: "", return_code: 0, content: [] },
  };
  const strange = { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", content: [{ type: "text", text }] };
  const answer = { type: "text", text: "Done" };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], usage };
  const whole = { ...message, content: [call, result, strange, answer], stop_reason: "end_turn" };
  const starts: readonly Json[] = [{ ...call, input: {} }, result, strange, { ...answer, text: "" }];
  const deltas: readonly (readonly Json[])[] = [
    [{ type: "input_json_delta", partial_json: JSON.stringify(call.input) }],
    [],
    [],
    [{ type: "text_delta", text: "Done" }],
  ];
  const frames = [
    event({ type: "message_start", message }),
    ...starts.flatMap((content_block, index) => [
      event({ type: "content_block_start", index, content_block }),
      ...(deltas[index] ?? []).map((delta) => event({ type: "content_block_delta", index, delta })),
      event({ type: "content_block_stop", index }),
    ]),
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }),
    event({ type: "message_stop" }),
  ];
  return ({ body }) => body.stream === true ? sse(frames) : Response.json(whole);
}

/** A message of several parts of text, one character a delta. */
export function responsesSse(parts: readonly string[]): ProviderScript {
  const content = parts.map((text) => ({ type: "output_text", text, annotations: [] }));
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  const response = {
    id: "resp_1",
    object: "response",
    model: "m",
    status: "completed",
    output: [item],
    usage,
  };
  const place = { item_id: "msg_1", output_index: 0 };
  const frames = [
    event({ type: "response.created", response: { ...response, output: [], status: "in_progress" } }),
    event({ type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } }),
    ...parts.flatMap((text, content_index) => [
      event({
        type: "response.content_part.added",
        ...place,
        content_index,
        part: { type: "output_text", text: "", annotations: [] },
      }),
      ...Array.from(
        text,
        (delta) => event({ type: "response.output_text.delta", ...place, content_index, delta }),
      ),
      event({ type: "response.output_text.done", ...place, content_index, text }),
      event({ type: "response.content_part.done", ...place, content_index, part: content[content_index] }),
    ]),
    event({ type: "response.output_item.done", output_index: 0, item }),
    event({ type: "response.completed", response }),
  ];
  return ({ body }) => body.stream === true ? sse(frames) : Response.json(response);
}
