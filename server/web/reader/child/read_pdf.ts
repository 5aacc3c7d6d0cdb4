/** From a PDF to the text of its pages. */

import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { visibleText } from "../../../../shared/util/visible_text.ts";
import type { Clock } from "../../../runtime.ts";
import type { ReadDocument, ReadReply, ReadRequest, TextLack } from "../messages.ts";
import { latin1 } from "../decode_text.ts";
import { readableText } from "../plain_text.ts";
import { formFields } from "./pdf/form_fields.ts";
import { paintedTexts } from "./pdf/painted_text.ts";
import { type SeenText, seenText } from "./pdf/seen_text.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** A long document gives what could be read until then, its first page on a slow machine too. */
const TIME_MS = 7_000;
/** Pixels of pictures that are decoded: nobody looks at them. */
const NO_PICTURES = 1;
/** A stream of a PDF is never within another, so its description can be read. */
const PICTURE = /\/Subtype\s*\/Image\b/;

export async function readPdf(
  bytes: Uint8Array,
  { maxCharacters, maxPages, clock }: ReadRequest & { readonly clock: Pick<Clock, "monotonic"> },
): Promise<ReadReply> {
  const until = clock.monotonic() + TIME_MS;
  const hasPictures = PICTURE.test(latin1(bytes));
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0, maxImageSize: NO_PICTURES });
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === "PasswordException";
    return { type: "unreadable", reason: isEncrypted ? "encrypted" : "broken" };
  }
  const isOver = (characters: number) => characters > maxCharacters || clock.monotonic() > until;
  const { text, hidText, pagesRead } = await readPages(document, { isOver, hasPictures, maxPages });
  const complete = pagesRead === document.numPages;
  return {
    type: "document",
    ...withLack(readableText(text, { maxCharacters, isCut: !complete }), hidText ? "hidden" : "pictures"),
    title: await titleOf(document),
    pages: document.numPages,
    pagesRead,
  };
}

/** A document whose pages are pictures is scanned. */
const withLack = <Text extends Pick<ReadDocument, "lack">>(read: Text, lack: TextLack): Text =>
  read.lack === "empty" ? { ...read, lack } : read;

interface PagesRead extends SeenText {
  readonly pagesRead: number;
}

interface ReadPagesOptions {
  readonly isOver: (characters: number) => boolean;
  /** Anywhere in the document: what is known of a page does not say where its pictures lie. */
  readonly hasPictures: boolean;
  readonly maxPages: number;
}

async function readPages(
  document: PdfDocument,
  { isOver, hasPictures, maxPages }: ReadPagesOptions,
): Promise<PagesRead> {
  let text = "";
  let hidText = false;
  const { OPS: operatorNumbers } = await getResolvedPDFJS();
  const last = Math.min(document.numPages, maxPages);
  for (let number = 1; number <= last; number++) {
    if (number > 1 && isOver(text.length)) return { text, hidText, pagesRead: number - 1 };
    const page = await readPage(await document.getPage(number), { operatorNumbers, hasPictures });
    text += `${text === "" ? "" : "\n\n"}${page.text}`;
    hidText ||= page.hidText;
  }
  return { text: text.trim(), hidText, pagesRead: last };
}

type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

interface ReadPageOptions extends Pick<ReadPagesOptions, "hasPictures"> {
  readonly operatorNumbers: Readonly<Record<string, number>>;
}

/** Notes on a page are not a part of it; what is filled in into its form is read besides. */
const NO_ANNOTATIONS = 0;

async function readPage(page: PdfPage, { operatorNumbers, hasPictures }: ReadPageOptions): Promise<SeenText> {
  const { items } = await page.getTextContent();
  const operators = await page.getOperatorList({ annotationMode: NO_ANNOTATIONS });
  const painted = paintedTexts(operators, { operatorNumbers, view: page.view, hasPictures });
  const fields = formFields(await page.getAnnotations({ intent: "display" }), page.view);
  page.cleanup();
  const seen = seenText(items.filter((item) => "str" in item), { painted, hasPictures });
  return { ...seen, text: [seen.text, fields].filter((text) => text !== "").join("\n\n") };
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  const { info } = await document.getMetadata();
  const title: unknown = "Title" in info ? info.Title : undefined;
  return typeof title === "string" && title.trim() !== ""
    ? visibleText(title).trim().slice(0, 1_000)
    : undefined;
}
