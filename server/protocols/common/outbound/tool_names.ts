/**
 * Most wires know functions only, in one flat list, with names of at most 64 letters, digits, `_` and `-`.
 * Custom tools and tools of a namespace get a name in that list, and calls of that name find back to them.
 * The names follow from the request's tools alone, so the rendered request and the parsed answer agree on them.
 */

import type { HostTrait } from "../../canonical/endpoint_words.ts";
import type { CustomTool, FunctionTool, Tool, ToolReference } from "../../canonical/request.ts";
import { appendDigest } from "./shorten_name.ts";

const NAME_LIMIT = 64;

/** A tool in the flat list: `wireName` for the provider, `named` for the caller. */
export interface FlatTool {
  readonly wireName: string;
  readonly reference: ToolReference;
  readonly tool: FunctionTool | CustomTool;
  /** Description of the namespace it stands in. */
  readonly about?: string;
}

/** A rule for names besides their letters: `letter_first` puts a letter before digits and hyphens. */
type NameRule = "letter_first";

/** The rule of an endpoint with these traits. */
export const nameRuleOf = (traits: readonly HostTrait[] | undefined): NameRule | undefined =>
  traits?.includes("letter_names") === true ? "letter_first" : undefined;

export interface ToolNames {
  readonly tools: readonly FlatTool[];
  readonly byKey: ReadonlyMap<string, FlatTool>;
  readonly byWireName: ReadonlyMap<string, FlatTool>;
  /** Tools that cannot be flattened, in words. */
  readonly dropped: readonly string[];
  readonly rule?: NameRule;
}

type UnnamedTool = Omit<FlatTool, "wireName">;

const noTools: ToolNames = { tools: [], byKey: new Map(), byWireName: new Map(), dropped: [] };

/** By the list itself, which is never changed: the request and the reader of its answer ask for the same. */
const known = new WeakMap<readonly Tool[], Map<NameRule | undefined, ToolNames>>();

/** Flattens the tools. A second tool of the same kind and name is left out: no call could tell them apart. */
export function flattenTools(tools: readonly Tool[], rule?: NameRule): ToolNames {
  if (tools.length === 0) return rule === undefined ? noTools : { ...noTools, rule };
  const byRule = known.get(tools) ?? new Map<NameRule | undefined, ToolNames>();
  const before = byRule.get(rule);
  if (before !== undefined) return before;
  const names = namesOf(tools, rule);
  known.set(tools, byRule.set(rule, names));
  return names;
}

function namesOf(tools: readonly Tool[], rule: NameRule | undefined): ToolNames {
  const found = new Map<string, UnnamedTool>();
  const dropped: string[] = [];
  for (const one of tools.flatMap(flatten)) {
    if (typeof one === "string" || found.has(keyOf(one.reference))) {
      dropped.push(typeof one === "string" ? one : `second tool ${one.reference.name}`);
      continue;
    }
    found.set(keyOf(one.reference), one);
  }
  return { ...named([...found.values()], rule), dropped, rule };
}

function flatten(tool: Tool): readonly (UnnamedTool | string)[] {
  switch (tool.type) {
    case "function":
    case "custom":
      return [{ tool, reference: { kind: tool.type, name: tool.name } }];
    case "namespace":
      return tool.tools.map((inner) => ({
        tool: inner,
        reference: { kind: inner.type, name: inner.name, namespace: tool.name },
        about: tool.description,
      }));
    case "hosted":
      return [`tool ${tool.kind}`];
    case "server":
      return [`tool ${tool.originalType}`];
    default:
      return tool satisfies never;
  }
}

/** Tools whose own name is legal keep it, whatever comes before them in the list. */
function named(
  found: readonly UnnamedTool[],
  rule: NameRule | undefined,
): Omit<ToolNames, "dropped" | "rule"> {
  const taken = new Map<string, string>();
  for (const { reference } of found) {
    const keeps = reference.namespace === undefined && legal(reference.name, rule) === reference.name;
    if (keeps && !taken.has(reference.name)) {
      taken.set(reference.name, keyOf(reference));
    }
  }
  const tools = found.map((one): FlatTool => {
    const wireName = freeName(one.reference, { taken, rule });
    taken.set(wireName, keyOf(one.reference));
    return { ...one, wireName };
  });
  return {
    tools,
    byKey: new Map(tools.map((tool) => [keyOf(tool.reference), tool])),
    byWireName: new Map(tools.map((tool) => [tool.wireName, tool])),
  };
}

interface Naming {
  readonly taken: ReadonlyMap<string, string>;
  readonly rule: NameRule | undefined;
}

function freeName(tool: ToolReference, { taken, rule }: Naming): string {
  const key = keyOf(tool);
  const mine = (name: string) => !taken.has(name) || taken.get(name) === key;
  const plain = plainName(tool, rule);
  if (mine(plain)) return plain;
  for (let round = 0;; round++) {
    const name = appendDigest(plain, { of: `${key} ${round}`, limit: NAME_LIMIT });
    if (mine(name)) return name;
  }
}

const keyOf = ({ kind, name, namespace }: ToolReference) => JSON.stringify([kind, namespace ?? "", name]);

const plainName = ({ name, namespace }: ToolReference, rule: NameRule | undefined) =>
  legal(namespace === undefined ? name : `${namespace}__${name}`, rule);

function legal(name: string, rule: NameRule | undefined): string {
  const letters = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  const bare = rule === "letter_first" && /^[0-9-]/.test(letters);
  if (bare && letters === name && name.length < NAME_LIMIT) return `t${name}`;
  const clean = bare ? `t${letters}` : letters;
  if (clean === name && name !== "" && name.length <= NAME_LIMIT) return name;
  return appendDigest(clean, { of: name, limit: NAME_LIMIT });
}

/** The flat tool that a caller names; a tool of a namespace is also found by its bare name if only one has it. */
export function findTool(names: ToolNames, tool: ToolReference): FlatTool | undefined {
  const exact = names.byKey.get(keyOf(tool));
  if (exact !== undefined || tool.namespace !== undefined) return exact;
  const same = names.tools.filter(({ reference }) =>
    reference.kind === tool.kind && reference.name === tool.name
  );
  return same.length === 1 ? same[0] : undefined;
}

/** The provider's name for a tool of an earlier turn, which need not be among the tools any more. */
export function wireNameOf(names: ToolNames, tool: ToolReference): string {
  return findTool(names, tool)?.wireName ?? plainName(tool, names.rule);
}

/** The caller's tool behind a name that the model called; a name that was never offered stands for itself. */
export function toolByWireName(names: ToolNames, wireName: string): ToolReference {
  return names.byWireName.get(wireName)?.reference ?? { kind: "function", name: wireName };
}

/** Whether a name that arrives in chunks can be taken as whole: it is a tool's, and no other tool's begins so. */
export function isCompleteName(names: ToolNames, wireName: string): boolean {
  if (!names.byWireName.has(wireName)) return false;
  return names.tools.every((tool) => tool.wireName === wireName || !tool.wireName.startsWith(wireName));
}
