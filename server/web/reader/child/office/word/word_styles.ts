/** The styles of a Word document, as far as they say more than how something looks. */

import type { XmlElement } from "../xml.ts";

export interface ListPlace {
  readonly id: string;
  /** Begins at 0. */
  readonly level: number;
}

export interface WordStyle {
  /** The level of a heading, beginning at 1. */
  readonly headingLevel: number | undefined;
  readonly list: ListPlace | undefined;
  readonly isHidden: boolean;
}

/** Styles that are based on each other, so far. */
const MAX_PARENTS = 20;

/** By their ids. */
export function wordStyles(root: XmlElement | undefined): ReadonlyMap<string, WordStyle> {
  const elements = new Map(
    (root?.all("style") ?? []).map((style) => [style.attribute("w:styleId") ?? "", style]),
  );
  return new Map([...elements.keys()].map((id) => [id, styleOf(id, elements)]));
}

function styleOf(id: string, elements: ReadonlyMap<string, XmlElement>): WordStyle {
  const chain: XmlElement[] = [];
  let next = elements.get(id);
  while (next !== undefined && chain.length < MAX_PARENTS) {
    chain.push(next);
    next = elements.get(next.find("basedOn")?.attribute("w:val") ?? "");
  }
  const first = <T>(read: (style: XmlElement) => T | undefined): T | undefined =>
    chain.map(read).find((value) => value !== undefined);
  return {
    headingLevel: first(ownHeadingLevel),
    list: first((style) => listPlace(style.find("pPr"))),
    isHidden: chain.some((style) => style.find("rPr")?.flag("vanish") === true),
  };
}

function ownHeadingLevel(style: XmlElement): number | undefined {
  const name = style.find("name")?.attribute("w:val")?.toLowerCase() ?? "";
  if (name === "title") return 1;
  const level = /^heading (\d)$/.exec(name)?.[1];
  return level === undefined ? outlineLevel(style.find("pPr")) : Number(level);
}

/** The heading level of a paragraph's own properties; level 9 is that of a plain text. */
export function outlineLevel(properties: XmlElement | undefined): number | undefined {
  const level = Number(properties?.find("outlineLvl")?.attribute("w:val") ?? 9);
  return level >= 0 && level < 9 ? level + 1 : undefined;
}

export function listPlace(properties: XmlElement | undefined): ListPlace | undefined {
  const numbering = properties?.find("numPr");
  const id = numbering?.find("numId")?.attribute("w:val");
  if (id === undefined) return undefined;
  const level = Number(numbering?.find("ilvl")?.attribute("w:val") ?? 0);
  return { id, level: Math.min(8, Math.max(0, level || 0)) };
}
