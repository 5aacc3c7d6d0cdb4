/** Reads a whole request once: what was said last, what tools answered, what is attached, and what it weighs. */

import { stringOf } from "../json_schema/json_values.ts";
import { lookAt, type Seen } from "./input_media.ts";
import {
  type Asked,
  type AskedItem,
  isMessage,
  isResult,
  itemsOf,
  partsOf,
  textOf,
} from "./parse_request.ts";

/** What a client's tool answered. */
export interface ToolAnswer {
  readonly name: string;
  readonly text: string;
}

export interface Survey {
  /** User messages so far. */
  readonly turns: number;
  /** The last user message's text. */
  readonly text: string;
  /** What tools answered after it. */
  readonly answers: readonly ToolAnswer[];
  /** Everything attached, anywhere in the input. */
  readonly seen: readonly Seen[];
  /** Every text of the rendered prompt; its tokens are the input's, with {@link Survey.flatTokens}. */
  readonly rendered: readonly string[];
  /** Tokens of what is no text: attachments, and the frame around each item. */
  readonly flatTokens: number;
}

/** Tokens around every item, and at the end of the prompt, as the chat formats of this encoding have them. */
const ITEM_TOKENS = 3;

export async function surveyOf(asked: Asked): Promise<Survey> {
  const items = itemsOf(asked);
  const seen = await attachmentsOf(items);
  const users = items.filter((item) => isMessage(item, "user"));
  const last = users.at(-1);
  const since = last === undefined ? items : items.slice(items.lastIndexOf(last) + 1);
  return {
    turns: users.length,
    text: textOf(partsOf(last?.content)),
    answers: since.filter(isResult).map((item) => answerOf(item, items)),
    seen,
    rendered: [...renderedOf(asked, items)],
    flatTokens: ITEM_TOKENS * (items.length + 1) + seen.reduce((sum, one) => sum + one.tokens, 0),
  };
}

async function attachmentsOf(items: readonly AskedItem[]): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const [i, item] of items.entries()) {
    const field = isResult(item) ? "output" : "content";
    for (const [k, part] of partsOf(item[field]).entries()) {
      const one = await lookAt(part, `input[${i}].${field}[${k}]`);
      if (one !== undefined) seen.push(one);
    }
  }
  return seen;
}

function answerOf(item: AskedItem, items: readonly AskedItem[]): ToolAnswer {
  const call = items.find((one) => !isResult(one) && one.call_id === item.call_id);
  return { name: call?.name ?? "The tool", text: textOf(partsOf(item.output)) };
}

/** The prompt as text: instructions, tools, every item. */
function* renderedOf(asked: Asked, items: readonly AskedItem[]): Generator<string> {
  if (asked.instructions) yield asked.instructions;
  for (const tool of asked.tools ?? []) yield JSON.stringify(tool);
  const { format } = asked.text ?? {};
  if (format?.schema !== undefined) yield JSON.stringify(format.schema);
  for (const item of items) yield* renderedItem(item);
}

function* renderedItem(item: AskedItem): Generator<string> {
  yield item.role ?? item.type ?? "";
  for (const text of [item.name, item.arguments, item.input, stringOf(item.encrypted_content)]) {
    if (text) yield text;
  }
  for (const part of [...partsOf(item.content), ...partsOf(item.output), ...partsOf(item.summary)]) {
    yield textOf([part]);
    if (part.filename) yield part.filename;
  }
}
