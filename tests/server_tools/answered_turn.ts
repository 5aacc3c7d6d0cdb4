/** An answer as clients of each API bring it back with their next request, whole or put together from its stream. */

import assert from "node:assert/strict";
import type { Json } from "../mocks/published.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { type Api, eventsOf, outputOf, type Sent, wholeOf } from "./rig.ts";

interface Answered {
  readonly api: Api;
  readonly stream: boolean;
}

/** Items of the Responses API, else the one message of the assistant. */
export function answerOf(sent: Sent, { api, stream }: Answered): readonly Json[] {
  if (api === "responses") return outputOf(sent);
  if (api === "messages") {
    const content = stream ? blocksOf(eventsOf(sent)) : wholeOf(sent).content;
    return [{ role: "assistant", content }];
  }
  if (stream) return [chatMessage(eventsOf(sent))];
  return [asObject(asObject(asList(wholeOf(sent).choices)[0]).message)];
}

/** The result of the client's function. */
export function functionResult(
  api: Api,
  { id, output }: { readonly id: string; readonly output: string },
): Json {
  if (api === "responses") return { type: "function_call_output", call_id: id, output };
  return api === "chat"
    ? { role: "tool", tool_call_id: id, content: output }
    : { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] };
}

function chatMessage(chunks: readonly Json[]): Json {
  let content = "";
  const details: unknown[] = [];
  const toolCalls: Json[] = [];
  for (const { choices } of chunks) {
    for (const { delta } of asList(choices).map(asObject)) {
      const piece = asObject(delta);
      if (typeof piece.content === "string") content += piece.content;
      details.push(...asList(piece.reasoning_details ?? []));
      for (const call of asList(piece.tool_calls ?? []).map(asObject)) grow(toolCalls, call);
    }
  }
  return {
    role: "assistant",
    content,
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

function grow(toolCalls: Json[], { index, function: piece, ...call }: Json): void {
  const at = Number(index);
  const { name = "", arguments: text = "" } = asObject(piece);
  const before = asObject(toolCalls[at]?.function ?? { name: "", arguments: "" });
  toolCalls[at] = {
    ...toolCalls[at],
    ...call,
    function: { name: `${before.name}${name}`, arguments: `${before.arguments}${text}` },
  };
}

function blocksOf(events: readonly Json[]): readonly Json[] {
  const blocks: Json[] = [];
  const inputs = new Map<number, string>();
  for (const { type, content_block: block, delta, index } of events) {
    const at = Number(index);
    if (type === "content_block_start") blocks[at] = asObject(block);
    if (type !== "content_block_delta") continue;
    const { text, partial_json: part, citation } = asObject(delta);
    const grown = blocks[at];
    assert(grown !== undefined);
    if (typeof text === "string") blocks[at] = { ...grown, text: `${grown.text}${text}` };
    if (citation !== undefined) {
      blocks[at] = { ...grown, citations: [...asList(grown.citations ?? []), citation] };
    }
    if (typeof part === "string") inputs.set(at, (inputs.get(at) ?? "") + part);
  }
  return blocks.map((block, at) => {
    const input = inputs.get(at);
    return input === undefined || input === "" ? block : { ...block, input: JSON.parse(input) };
  });
}
