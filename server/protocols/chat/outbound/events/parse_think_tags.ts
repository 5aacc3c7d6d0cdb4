/**
 * Thoughts inside the text: `<think>…</think>` at its beginning, as servers without a reasoning parser send what
 * the model writes. Only at the beginning: further on, the tags are something that the model talks about.
 */

import type { ChatDelta } from "../response_schema.ts";
import type { ChatState, ThinkTags } from "./parse_state.ts";

const OPEN = "<think>";
const CLOSE = "</think>";

export const initialThinkTags: ThinkTags = { at: "before", held: "", trim: true };

interface DeltaFields {
  readonly thought: string;
  readonly text: string;
}

type TagResult = readonly [ThinkTags, DeltaFields];

/** The delta with its thoughts where the other dialects have them. */
export function splitThinkTags(state: ChatState, delta: ChatDelta): readonly [ChatState, ChatDelta] {
  if (state.tags === undefined || typeof delta.content !== "string") return [state, delta];
  const [tags, parts] = readTags(state.tags, delta.content);
  const reasoning = parts.thought || delta.reasoning_content;
  return [{ ...state, tags }, { ...delta, content: parts.text, reasoning_content: reasoning }];
}

/** Text that is still held when the answer ends: it was no tag after all. */
export function pendingText({ tags }: ChatState): ChatDelta {
  const held = tags?.held ?? "";
  return tags?.at === "inside" ? { reasoning_content: held } : { content: held };
}

/** Reads a chunk of text; a tag may come in chunks too. */
function readTags(tags: ThinkTags, chunk: string): TagResult {
  const all = tags.held + chunk;
  const text = tags.trim ? all.trimStart() : all;
  if (tags.at === "after") {
    return [{ at: "after", held: "", trim: tags.trim && text === "" }, { thought: "", text }];
  }
  return tags.at === "inside" ? readInside(tags, text) : readBefore(all, text);
}

function readBefore(all: string, text: string): TagResult {
  if (text.startsWith(OPEN)) return readTags({ at: "inside", held: "", trim: true }, text.slice(OPEN.length));
  if (OPEN.startsWith(text)) return [{ at: "before", held: all, trim: true }, { thought: "", text: "" }];
  return [{ at: "after", held: "", trim: false }, { thought: "", text: all }];
}

function readInside({ trim }: ThinkTags, text: string): TagResult {
  const end = text.indexOf(CLOSE);
  if (end >= 0) {
    const [rest, parts] = readTags({ at: "after", held: "", trim: true }, text.slice(end + CLOSE.length));
    return [rest, { ...parts, thought: text.slice(0, end).trimEnd() }];
  }
  const held = tailOf(text);
  const thought = text.slice(0, text.length - held.length);
  return [{ at: "inside", held, trim: trim && text === "" }, { thought, text: "" }];
}

/** White space and the beginning of a closing tag at the end of a thought: whether they belong to it, the rest tells. */
function tailOf(text: string): string {
  const at = text.lastIndexOf("<");
  const end = at !== -1 && CLOSE.startsWith(text.slice(at)) ? at : text.length;
  return text.slice(text.slice(0, end).trimEnd().length);
}
