/** Collects what a model reads of a request, for a count of tokens: its texts, and its media as tokens. */

import type { ContentPart, FilePart, Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";

/** An image at low detail, roughly. */
const TOKENS_OF_A_PART = 85;
/** Around each item, and at the end of the prompt, as the chat formats of the encoding have them. */
export const ITEM_TOKENS = 3;

interface TokenTexts {
  readonly texts: readonly string[];
  /** Tokens of what is no text, and of the frame around each item. */
  readonly besides: number;
}

export function tokenTexts({ instructions, input, tools, format }: ModelRequest): TokenTexts {
  const texts: string[] = [];
  if (instructions !== undefined) texts.push(instructions);
  for (const tool of tools) texts.push(JSON.stringify(tool));
  if (format.type === "json_schema") texts.push(JSON.stringify(format.schema));
  let besides = ITEM_TOKENS * (input.length + 1);
  const add = (part: ContentPart) => {
    const text = textOf(part);
    if (text === undefined) besides += TOKENS_OF_A_PART;
    else texts.push(text);
  };
  for (const item of input) {
    texts.push(...itemWords(item));
    itemParts(item).forEach(add);
  }
  return { texts: texts.filter((text) => text !== ""), besides };
}

/** Texts of an item that stand in none of its parts. */
export function itemWords(item: Item): readonly string[] {
  switch (item.type) {
    case "message":
      return [item.role];
    case "reasoning":
      return [...item.content, ...item.summary];
    case "call":
      return [item.name, item.arguments];
    case "result":
      return typeof item.output === "string" ? [item.output] : [];
    case "foreign":
      return [item.textFallback ?? ""];
    default:
      return item satisfies never;
  }
}

const noParts: readonly ContentPart[] = [];

export function itemParts(item: Item): readonly ContentPart[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : noParts;
}

function textOf(part: ContentPart): string | undefined {
  if (part.type === "text" || part.type === "refusal") return part.text;
  if (part.type === "foreign") return part.textFallback ?? JSON.stringify(part.value);
  return part.type === "file" ? textOfFile(part) : undefined;
}

/** Documents of plain text travel as data URLs. */
function textOfFile({ data }: FilePart): string | undefined {
  const base64 = /^data:text\/[\w.+-]+(?:;charset=[\w-]+)?;base64,/.exec(data ?? "")?.[0];
  if (data === undefined || base64 === undefined) return undefined;
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(data.slice(base64.length)));
  } catch (error) {
    // Whether the file is whole is for its reader to say.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
