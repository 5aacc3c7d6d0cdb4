/** Traits of a request beside its texts: tools and their kinds, pictures, files, schema, earlier messages. */

import type { ContentPart, Item } from "../../../protocols/canonical/item.ts";
import type { ModelRequest, Tool } from "../../../protocols/canonical/request.ts";

export const requestTraits = [
  "picture",
  "earlier picture",
  "file",
  "tools",
  "several tools",
  "many tools",
  "search tool",
  "command tool",
  "tool must be called",
  "schema",
  "JSON object",
  "system text",
  "earlier messages",
  "earlier tool calls",
] as const;
type RequestTrait = (typeof requestTraits)[number];

const searchKinds: readonly string[] = [
  "web_search",
  "web_fetch",
  "browser",
  "search_preview",
  "google_search",
];
const commandKinds: readonly string[] = ["bash", "shell", "apply_patch", "text_editor", "code_interpreter"];

/** Names of a tool: its kind, or the names of the functions that it brings. */
export function toolNames(tool: Tool): readonly string[] {
  switch (tool.type) {
    case "function":
    case "custom":
      return [tool.name];
    case "namespace":
      return [tool.name, ...tool.tools.map(({ name }) => name)];
    case "hosted":
    case "server":
      return [tool.kind];
    default:
      return tool satisfies never;
  }
}

const namesOneOf = (names: readonly string[], kinds: readonly string[]): boolean =>
  names.some((name) => kinds.some((kind) => name.toLowerCase().includes(kind)));

const holdsPicture = (parts: readonly ContentPart[]): boolean => parts.some(({ type }) => type === "image");

function isEarlierMessage(item: Item, last: Item | undefined): boolean {
  return item !== last && item.type === "message" && (item.role === "user" || item.role === "assistant");
}

interface TraitInput {
  readonly request: ModelRequest;
  /** The last message of the user's. */
  readonly last: Item | undefined;
  readonly systemText: string;
  /** Names of the tools that are read. */
  readonly names: readonly string[];
}

export function requestTraitsOf({ request, last, systemText, names }: TraitInput): readonly RequestTrait[] {
  const { input, format, toolChoice } = request;
  const parts = last?.type === "message" ? last.parts : [];
  const calls = toolChoice?.type === "required" || toolChoice?.type === "named";
  const holds: Readonly<Record<RequestTrait, boolean>> = {
    picture: holdsPicture(parts),
    "earlier picture": input.some((item) => isEarlierMessage(item, last) && holdsPicture(partsOf(item))),
    file: parts.some(({ type }) => type === "file"),
    tools: names.length > 0,
    "several tools": names.length > 1,
    "many tools": names.length > 3,
    "search tool": namesOneOf(names, searchKinds),
    "command tool": namesOneOf(names, commandKinds),
    "tool must be called": calls,
    schema: format.type === "json_schema",
    "JSON object": format.type === "json_object",
    "system text": systemText !== "",
    "earlier messages": input.some((item) => isEarlierMessage(item, last)),
    "earlier tool calls": input.some(({ type }) => type === "call"),
  };
  return requestTraits.filter((trait) => holds[trait]);
}

const partsOf = (item: Item): readonly ContentPart[] => item.type === "message" ? item.parts : [];
