/**
 * Token counts where the provider tells none (faults U14). Clients demand them: some end a turn without a total,
 * others reject the whole answer (client-requirements 2).
 */

import type { Usage } from "../../shared/usage.ts";
import type { ModelEvent } from "../hub/event.ts";
import type { Item, Part } from "../hub/item.ts";
import type { ModelRequest } from "../hub/request.ts";
import type { Source } from "../stream/source.ts";

/** What is usual for text in western languages; no tokenizer is loaded for an estimate. */
const CHARS_PER_TOKEN = 4;
/** Of what is no text: an image at low detail, roughly. */
const CHARS_OF_A_PART = 85 * CHARS_PER_TOKEN;

/** What so many characters of text are, in tokens. */
export const tokensOf = (chars: number): number => Math.ceil(chars / CHARS_PER_TOKEN);

/** What a request is as input, in tokens. */
export const inputTokensOf = (request: ModelRequest): number => tokensOf(charsOf(request));

/** The same answer, with an estimate where a whole answer carries no counts. */
export function withUsage(source: Source<ModelEvent>, request: ModelRequest): Source<ModelEvent> {
  let output = 0;
  let thoughts = 0;
  const pull = async () => {
    const batch = await source.pull();
    if (batch === undefined) return undefined;
    for (const event of batch) {
      if (!("delta" in event)) continue;
      output += event.delta.length;
      if (event.type === "thought" || event.type === "summary") thoughts += event.delta.length;
    }
    const last = batch.at(-1);
    if (last?.type !== "finish" || last.usage !== undefined) return batch;
    return [...batch.slice(0, -1), { ...last, usage: estimated(request, { output, thoughts }) }];
  };
  return { pull, cancel: (reason) => source.cancel(reason) };
}

interface Seen {
  /** Characters. */
  readonly output: number;
  readonly thoughts: number;
}

function estimated(request: ModelRequest, { output, thoughts }: Seen): Usage {
  return {
    inputTokens: inputTokensOf(request),
    outputTokens: tokensOf(output),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: tokensOf(thoughts),
    estimated: true,
  };
}

function charsOf({ instructions, input, tools }: ModelRequest): number {
  const told = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  return input.reduce((sum, item) => sum + charsOfItem(item), (instructions?.length ?? 0) + told);
}

function charsOfItem(item: Item): number {
  switch (item.type) {
    case "message":
      return charsOfParts(item.parts);
    case "reasoning":
      return [...item.thoughts, ...item.summary].join("").length;
    case "call":
      return item.name.length + item.arguments.length;
    case "result":
      return typeof item.output === "string" ? item.output.length : charsOfParts(item.output);
    case "foreign":
      return item.told?.length ?? 0;
    default:
      return item satisfies never;
  }
}

const charsOfParts = (parts: readonly Part[]) =>
  parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : CHARS_OF_A_PART), 0);
