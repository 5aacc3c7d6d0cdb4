/** The styles of an OpenDocument file by which something is not seen. */

import type { XmlElement } from "../xml.ts";

/** Properties of a style, and whether they hide what has it. */
const hides: ReadonlyMap<string, (properties: XmlElement) => boolean> = new Map([
  ["text-properties", (properties) => properties.attribute("text:display") === "none"],
  ["table-properties", (properties) => properties.attribute("table:display") === "false"],
  ["drawing-page-properties", (properties) => properties.attribute("presentation:visibility") === "hidden"],
]);

const MAX_PARENTS = 20;

/** Names of styles, each with its family before it. */
export function hiddenStyles(roots: readonly (XmlElement | undefined)[]): ReadonlySet<string> {
  const styles = new Map(
    roots.flatMap((root) => [root?.find("styles"), root?.find("automatic-styles")])
      .flatMap((list) => list?.all("style") ?? [])
      .map((style) => [keyOf(style.attribute("style:family"), style.attribute("style:name")), style]),
  );
  const isHidden = (style: XmlElement | undefined, depth = 0): boolean => {
    if (style === undefined || depth > MAX_PARENTS) return false;
    const parent = style.attribute("style:parent-style-name");
    return style.elements.some((properties) => hides.get(properties.name)?.(properties) === true) ||
      parent !== undefined && isHidden(styles.get(keyOf(style.attribute("style:family"), parent)), depth + 1);
  };
  return new Set([...styles].filter(([, style]) => isHidden(style)).map(([key]) => key));
}

export const keyOf = (family = "", name = ""): string => `${family} ${name}`;

/** First numbers of lists by the names of their styles, for those whose first level is numbered. */
export function numberedLists(roots: readonly (XmlElement | undefined)[]): ReadonlyMap<string, number> {
  const lists = roots.flatMap((root) => [root?.find("styles"), root?.find("automatic-styles")])
    .flatMap((list) => list?.all("list-style") ?? []);
  return new Map(lists.flatMap((list) => {
    const first = list.elements[0];
    if (first?.name !== "list-level-style-number") return [];
    return [[list.attribute("style:name") ?? "", Number(first.attribute("text:start-value") ?? 1) || 1]];
  }));
}
