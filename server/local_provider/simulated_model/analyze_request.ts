/** Reads a whole request once: what was said last, what tools answered, what is attached, and what it weighs. */

import { toText } from "../json_schema/json_values.ts";
import { type AttachmentInfo, inspectPart } from "./input_media.ts";
import {
  contentParts,
  inputItems,
  isMessage,
  isResult,
  joinTexts,
  type SimulatorItem,
  type SimulatorRequest,
} from "./parse_request.ts";

/** Result of a client's tool. */
interface ToolResultText {
  readonly name: string;
  readonly text: string;
}

export interface RequestAnalysis {
  /** User messages so far. */
  readonly turns: number;
  /** The last user message's text. */
  readonly text: string;
  /** Results of tools behind it. */
  readonly answers: readonly ToolResultText[];
  /** Everything attached, anywhere in the input. */
  readonly attachments: readonly AttachmentInfo[];
  /** Every text of the rendered prompt; its tokens are the input's, with {@link RequestAnalysis.flatTokens}. */
  readonly rendered: readonly string[];
  /** Tokens of what is no text: attachments, and the frame around each item. */
  readonly flatTokens: number;
}

/** Tokens around every item, and at the end of the prompt, as the chat formats of this encoding have them. */
const ITEM_TOKENS = 3;

export async function analyzeRequest(requested: SimulatorRequest): Promise<RequestAnalysis> {
  const items = inputItems(requested);
  const seen = await attachmentsOf(items);
  const users = items.filter((item) => isMessage(item, "user"));
  const last = users.at(-1);
  const since = last === undefined ? items : items.slice(items.lastIndexOf(last) + 1);
  return {
    turns: users.length,
    text: joinTexts(contentParts(last?.content)),
    answers: since.filter(isResult).map((item) => answerOf(item, items)),
    attachments: seen,
    rendered: [...renderedOf(requested, items)],
    flatTokens: ITEM_TOKENS * (items.length + 1) + seen.reduce((sum, one) => sum + one.tokens, 0),
  };
}

async function attachmentsOf(items: readonly SimulatorItem[]): Promise<readonly AttachmentInfo[]> {
  const seen: AttachmentInfo[] = [];
  for (const [i, item] of items.entries()) {
    const field = isResult(item) ? "output" : "content";
    for (const [k, part] of contentParts(item[field]).entries()) {
      const one = await inspectPart(part, `input[${i}].${field}[${k}]`);
      if (one !== undefined) seen.push(one);
    }
  }
  return seen;
}

function answerOf(item: SimulatorItem, items: readonly SimulatorItem[]): ToolResultText {
  const call = items.find((one) => !isResult(one) && one.call_id === item.call_id);
  return { name: call?.name ?? "The tool", text: joinTexts(contentParts(item.output)) };
}

/** The prompt as text: instructions, tools, every item. */
function* renderedOf(requested: SimulatorRequest, items: readonly SimulatorItem[]): Generator<string> {
  if (requested.instructions) yield requested.instructions;
  for (const tool of requested.tools ?? []) yield JSON.stringify(tool);
  const { format } = requested.text ?? {};
  if (format?.schema !== undefined) yield JSON.stringify(format.schema);
  for (const item of items) yield* renderedItem(item);
}

function* renderedItem(item: SimulatorItem): Generator<string> {
  yield item.role ?? item.type ?? "";
  for (const text of [item.name, item.arguments, item.input, toText(item.encrypted_content)]) {
    if (text) yield text;
  }
  for (
    const part of [...contentParts(item.content), ...contentParts(item.output), ...contentParts(item.summary)]
  ) {
    yield joinTexts([part]);
    if (part.filename) yield part.filename;
  }
}
