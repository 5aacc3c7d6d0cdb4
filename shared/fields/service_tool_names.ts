/**
 * Server tools and their items have two spellings on the wire: `service:web_search`, the specification's, and
 * `openrouter:web_search`, which published client libraries hard-code (specification, Alias plan, 4). Inside there
 * is one: the kind without a prefix. Answers use the caller's own spelling.
 */

const servicePrefixes = ["service:", "openrouter:"] as const;
type ServicePrefix = (typeof servicePrefixes)[number];

/** Server tools that a caller may put into `tools` (specification, Tools). */
export const serviceToolKinds = [
  "datetime",
  "web_search",
  "web_fetch",
  "files",
  "file_search",
  "bash",
  "shell",
  "apply_patch",
  "image_generation",
  "advisor",
  "subagent",
  "fusion",
  "search_models",
  "tool_search",
] as const;
export type ServiceToolKind = (typeof serviceToolKinds)[number];

/** Server-tool items that a caller may replay in `input` (specification, Input items, §3.9). */
export const serviceItemKinds = [
  ...serviceToolKinds,
  "mcp",
  "memory",
  "text_editor",
  "code_interpreter",
  "browser_use",
] as const;
export type ServiceItemKind = (typeof serviceItemKinds)[number];

const EXPERIMENTAL = "experimental__";

type Spelled<Kind extends string> = Kind extends "search_models"
  ? `${ServicePrefix}${Kind}` | `${ServicePrefix}experimental__${Kind}`
  : `${ServicePrefix}${Kind}`;

/** Every way to write a kind: `search_models` also carries the libraries' `experimental__` mark. */
export function typeNamesOf<Kind extends ServiceItemKind>(kind: Kind): [Spelled<Kind>, ...Spelled<Kind>[]] {
  const names = kind === "search_models" ? [kind, `${EXPERIMENTAL}${kind}`] : [kind];
  return asSpelled(names.flatMap((name) => servicePrefixes.map((prefix) => prefix + name)));
}

/** The list is made from the kind itself just above; the compiler cannot follow the concatenation. */
function asSpelled<Kind extends ServiceItemKind>(names: readonly string[]) {
  return names as unknown as [Spelled<Kind>, ...Spelled<Kind>[]];
}

const kinds: ReadonlyMap<string, ServiceItemKind> = new Map(
  serviceItemKinds.flatMap((kind) => typeNamesOf(kind).map((spelled) => [String(spelled), kind] as const)),
);

/** `openrouter:experimental__search_models` → `search_models`; undefined for what is no server tool of ours. */
export function serviceKindOf(type: string): ServiceItemKind | undefined {
  return kinds.get(type);
}
