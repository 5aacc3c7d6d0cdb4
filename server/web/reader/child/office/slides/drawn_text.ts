/** The paragraphs of a shape that is drawn on a slide. */

import type { XmlElement } from "../xml.ts";

interface DrawnParagraph {
  readonly text: string;
  /** Begins at 0. */
  readonly level: number;
  /** Undefined where the shape's kind decides. */
  readonly hasBullet: boolean | undefined;
}

export function drawnParagraphs(body: XmlElement | undefined): readonly DrawnParagraph[] {
  return (body?.all("p") ?? []).map((paragraph) => {
    const properties = paragraph.find("pPr");
    return {
      text: paragraph.elements.map(runText).join(""),
      level: Number(properties?.attribute("lvl") ?? 0) || 0,
      hasBullet: ownBullet(properties),
    };
  });
}

function runText(run: XmlElement): string {
  if (run.name === "br") return "\n";
  return run.name === "r" || run.name === "fld"
    ? run.all("t").map(({ text }) => text).join("")
    : mathText(run);
}

/** Formulas are told by their letters. */
const mathText = (run: XmlElement): string =>
  run.name === "m" || run.name === "AlternateContent" ? (run.find("Choice") ?? run).text : "";

function ownBullet(properties: XmlElement | undefined): boolean | undefined {
  if (properties?.find("buNone") !== undefined) return false;
  return properties?.find("buChar") === undefined && properties?.find("buAutoNum") === undefined
    ? undefined
    : true;
}
