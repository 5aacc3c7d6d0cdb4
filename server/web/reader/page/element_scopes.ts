/** How far the tags of a page reach: which elements an end tag ends, and which a start tag does where ends are left out. */

import { blockNames, setOf } from "./element_kinds.ts";

const scope = setOf("button caption html object table td template th");

/** Elements over which some tags do not reach, by kind. */
const borders = {
  /** For the ends of elements within a line. */
  block: new Set([...blockNames, ...scope]),
  /** For the ends of blocks. */
  scope,
  /** For items. */
  list: setOf("button caption dl html menu object ol table td template th ul"),
  /** For rows and their groups. */
  table: setOf("html table template"),
  /** For cells. */
  row: setOf("html table template tr"),
} as const;

export type Border = keyof typeof borders;

const kinds: readonly Border[] = ["block", "scope", "list", "table", "row"];
const bordersByName: ReadonlyMap<string, readonly Border[]> = new Map(
  [...new Set(kinds.flatMap((kind) => [...borders[kind]]))].map((name) =>
    [name, kinds.filter((kind) => borders[kind].has(name))] as const
  ),
);

const NONE: readonly never[] = [];

/** Lists the kinds of borders that an element is. */
export const bordersOf = (name: string): readonly Border[] => bordersByName.get(name) ?? NONE;

const tableParts = setOf("caption table tbody td tfoot th thead tr");

/** The border over which the end tag of an element does not reach. */
export function endBorder(name: string): Border {
  if (tableParts.has(name)) return "table";
  return blockNames.has(name) ? "scope" : "block";
}

interface ImpliedEnd {
  /** Elements that end where the tag begins. */
  readonly names: readonly string[];
  readonly within: Border;
}

const paragraph: ImpliedEnd = { names: ["p"], within: "scope" };
const definitions: ImpliedEnd = { names: ["dd", "dt"], within: "list" };
const cells: ImpliedEnd = { names: ["td", "th"], within: "row" };
const groups: ImpliedEnd = { names: ["tr", "tbody", "tfoot", "thead"], within: "table" };

const impliedEnds: ReadonlyMap<string, ImpliedEnd> = new Map([
  ["a", { names: ["a"], within: "scope" }],
  ["dd", definitions],
  ["dt", definitions],
  ["li", { names: ["li"], within: "list" }],
  ["option", { names: ["option"], within: "scope" }],
  ["tbody", groups],
  ["td", cells],
  ["tfoot", groups],
  ["th", cells],
  ["thead", groups],
  ["tr", { names: ["tr"], within: "table" }],
]);

const endsByName: ReadonlyMap<string, readonly ImpliedEnd[]> = new Map(
  [...blockNames, ...impliedEnds.keys()].map((name) => {
    const implied = impliedEnds.get(name);
    return [name, [...implied ? [implied] : [], ...blockNames.has(name) ? [paragraph] : []]] as const;
  }),
);

/** Lists what a start tag ends, in this order. */
export const endedBy = (name: string): readonly ImpliedEnd[] => endsByName.get(name) ?? NONE;
