/** From a PowerPoint presentation to its text as Markdown: a heading for each slide. */

import { Blocks } from "../blocks.ts";
import type { OfficeLimits, OfficeText } from "../office_text.ts";
import type { PackageParts } from "../package_parts.ts";
import { type MainPart, relatedXml, type Relation, relationsOf, titleOf } from "../relations.ts";
import type { XmlElement } from "../xml.ts";
import { drawnParagraphs } from "./drawn_text.ts";

export function readSlides(
  parts: PackageParts,
  { main, maxCharacters, maxPages }: OfficeLimits & { readonly main: MainPart },
): OfficeText {
  const blocks = new Blocks(maxCharacters);
  const targets = slideTargets(main);
  let number = 0;
  let pagesRead = 0;
  for (const target of targets) {
    number++;
    if (blocks.isFull || pagesRead >= maxPages) break;
    const slide = parts.xml(target);
    pagesRead++;
    if (slide === undefined || /^(?:0|false)$/.test(slide.attribute("show") ?? "")) continue;
    addSlide(slide, { blocks, number, parts, relations: relationsOf(parts, target) });
  }
  const isCut = blocks.isFull || pagesRead < targets.length;
  return { text: String(blocks), isCut, title: titleOf(parts), pages: targets.length, pagesRead };
}

/** In the order in which they are shown. */
function slideTargets({ root, relations }: MainPart): readonly string[] {
  const slides = new Map(
    relations.filter(({ kind }) => kind === "slide").map(({ id, target }) => [id, target]),
  );
  return (root.find("sldIdLst")?.all("sldId") ?? [])
    .map((slide) => slides.get(slide.attribute("r:id") ?? ""))
    .filter((target) => target !== undefined);
}

interface SlideContext {
  readonly blocks: Blocks;
  readonly number: number;
  readonly parts: PackageParts;
  readonly relations: readonly Relation[];
}

function addSlide(slide: XmlElement, { blocks, number, parts, relations }: SlideContext): void {
  const shapes = shapesOf(slide.find("cSld", "spTree"));
  const title = shapes.find((shape) => /^(?:title|ctrTitle)$/.test(placeholder(shape)?.type ?? ""));
  const heading = title === undefined ? "" : plainText(title);
  blocks.heading(heading === "" ? `Slide ${number}` : `Slide ${number}: ${heading}`, 2);
  for (const shape of shapes) if (shape !== title) addShape(shape, blocks);
  const notes = relatedXml(parts, { relations, kind: "notesSlide" });
  const spoken = shapesOf(notes?.find("cSld", "spTree"))
    .filter((shape) => placeholder(shape)?.type === "body").map(plainText).join("\n").trim();
  if (spoken !== "") blocks.paragraph(`Notes: ${spoken}`);
}

/** Also those in groups. */
function shapesOf(parent: XmlElement | undefined): readonly XmlElement[] {
  return (parent?.elements ?? []).flatMap((element): readonly XmlElement[] => {
    if (element.name === "grpSp") return shapesOf(element);
    if (element.name === "AlternateContent") return shapesOf(element.find("Choice"));
    return element.name === "sp" || element.name === "graphicFrame" ? [element] : [];
  }).filter((shape) => !isHidden(shape));
}

const isHidden = (shape: XmlElement): boolean =>
  shape.elements.some((part) => /^(?:1|true)$/.test(part.find("cNvPr")?.attribute("hidden") ?? ""));

function placeholder(shape: XmlElement): { readonly type: string } | undefined {
  const found = shape.find("nvSpPr", "nvPr", "ph");
  return found === undefined ? undefined : { type: found.attribute("type") ?? "body" };
}

const plainText = (shape: XmlElement): string =>
  drawnParagraphs(shape.find("txBody")).map(({ text }) => text).join("\n").trim();

/** Stand on every slide alike. */
const frames: ReadonlySet<string> = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);
/** Kinds whose paragraphs are points by themselves. */
const points: ReadonlySet<string> = new Set(["body", "obj"]);

function addShape(shape: XmlElement, blocks: Blocks): void {
  const table = shape.find("graphic", "graphicData", "tbl");
  if (table !== undefined) {
    blocks.table(table.all("tr").map((row) => row.all("tc").map(shownCell)));
    return;
  }
  const type = placeholder(shape)?.type ?? "";
  if (frames.has(type)) return;
  for (const { text, level, hasBullet } of drawnParagraphs(shape.find("txBody"))) {
    if (hasBullet ?? (points.has(type) || level > 0)) blocks.item(text, { marker: "-", level });
    else blocks.paragraph(text);
  }
}

/** A cell that is a part of another has no text of its own. */
function shownCell(cell: XmlElement): string {
  if (cell.attribute("hMerge") !== undefined || cell.attribute("vMerge") !== undefined) return "";
  return drawnParagraphs(cell.find("txBody")).map(({ text }) => text).join("\n");
}
