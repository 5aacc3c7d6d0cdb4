/** The texts of documents that took work to read, kept for the next request of the workspace. */

import * as z from "zod";
import type { KeptKey, KeptTexts } from "../../../web/documents/kept_texts.ts";
import type { LoadedDocument } from "./load_document.ts";
import type { ParsedText } from "./parsed_document.ts";

const keptSchema = z.object({
  text: z.string(),
  pages: z.int().optional(),
  cut: z.string().optional(),
  images: z.array(z.string()),
});

interface Place {
  readonly key: KeptKey;
  readonly loaded: LoadedDocument;
}

/** A text that is read as it stands is not kept a second time. */
const tookWork = ({ key: { engine }, loaded: { bytes } }: Place): boolean =>
  engine !== "local" || /^(?:%P|PK)$/.test(String.fromCharCode(...bytes.subarray(0, 2)));

export async function keptText(texts: KeptTexts | undefined, place: Place): Promise<ParsedText | undefined> {
  if (texts === undefined || !tookWork(place)) return undefined;
  return keptSchema.safeParse(await texts.find(place.key)).data;
}

export async function keepText(
  texts: KeptTexts | undefined,
  place: Place & { readonly text: ParsedText },
): Promise<void> {
  if (texts !== undefined && tookWork(place)) await texts.keep(place.key, place.text);
}
