/** From a PDF to the text of its pages. */

import { getDocumentProxy } from "unpdf";
import { visibleText } from "../../../shared/util/visible_text.ts";
import type { Clock } from "../../runtime.ts";
import type { ReadDocument, ReadReply, ReadRequest } from "../messages.ts";
import { readableText } from "../plain_text.ts";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** A long document gives what could be read until then. */
const TIME_MS = 7_000;

export async function readPdf(
  bytes: Uint8Array,
  { maxCharacters, clock }: ReadRequest & { readonly clock: Pick<Clock, "monotonic"> },
): Promise<ReadReply> {
  const until = clock.monotonic() + TIME_MS;
  let document: PdfDocument;
  try {
    document = await getDocumentProxy(bytes, { verbosity: 0 });
  } catch (error) {
    const isEncrypted = error instanceof Error && error.name === "PasswordException";
    return { type: "unreadable", reason: isEncrypted ? "encrypted" : "broken" };
  }
  const isOver = (characters: number) => characters > maxCharacters || clock.monotonic() > until;
  const { text, complete } = await readPages(document, isOver);
  return {
    type: "document",
    ...withLack(readableText(text, { maxCharacters, isCut: !complete })),
    title: await titleOf(document),
    pages: document.numPages,
  };
}

/** A document whose pages are pictures is scanned. */
const withLack = <Text extends Pick<ReadDocument, "lack">>(read: Text): Text =>
  read.lack === "empty" ? { ...read, lack: "pictures" } : read;

interface PagesRead extends Pick<ReadDocument, "text"> {
  readonly complete: boolean;
}

async function readPages(document: PdfDocument, isOver: (characters: number) => boolean): Promise<PagesRead> {
  let text = "";
  for (let number = 1; number <= document.numPages; number++) {
    if (isOver(text.length)) return { text, complete: false };
    text += `${text === "" ? "" : "\n\n"}${await pageText(document, number)}`;
  }
  return { text: text.trim(), complete: true };
}

async function pageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items.map((item) => "str" in item ? item.str + (item.hasEOL ? "\n" : "") : "").join("").trim();
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  const { info } = await document.getMetadata();
  const title: unknown = "Title" in info ? info.Title : undefined;
  return typeof title === "string" && title.trim() !== ""
    ? visibleText(title).trim().slice(0, 1_000)
    : undefined;
}
