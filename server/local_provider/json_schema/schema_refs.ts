/** Finds what a `$ref` points at, inside one schema. Nothing is ever fetched. */

import { ownValue } from "../../../shared/util/own_value.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { type JsonRecord, toList, toText } from "./json_values.ts";

const MAX_INDEXED = 5_000;

export interface SchemaRefs {
  /** The schema behind a reference; true (anything goes) when it points outside or nowhere. */
  readonly find: (ref: string) => unknown;
}

export function indexRefs(root: unknown): SchemaRefs {
  let named: ReadonlyMap<string, unknown> | undefined;
  const byName = (ref: string) => {
    named ??= index(root);
    return named.get(ref) ?? named.get(ref.replace(/^#/, ""));
  };
  return {
    find: (ref) => {
      if (ref === "#") return root;
      if (ref.startsWith("#/")) return pointed(root, ref.slice(2)) ?? true;
      return byName(ref) ?? true;
    },
  };
}

function pointed(root: unknown, pointer: string): unknown {
  let at: unknown = root;
  for (const part of pointer.split("/")) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isRecord(at) && Object.hasOwn(at, name)) at = ownValue(at, name);
    else return undefined;
  }
  return at;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray percent sign is part of the name
  }
}

/** Every `$id` and anchor of the first few thousand nodes. */
function index(root: unknown): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>();
  const queue: unknown[] = [root];
  for (let seen = 0; seen < queue.length && seen < MAX_INDEXED; seen++) {
    const node = queue[seen];
    if (isRecord(node)) nameNode(named, node);
    const children = isRecord(node) ? Object.values(node) : toList(node);
    for (const child of children.slice(0, 500)) {
      if (typeof child === "object" && child !== null) queue.push(child);
    }
  }
  return named;
}

function nameNode(named: Map<string, unknown>, node: JsonRecord): void {
  for (const key of ["$id", "$anchor", "$dynamicAnchor"]) {
    const name = toText(ownValue(node, key));
    if (name !== undefined && !named.has(name)) named.set(name, node);
  }
}
