/** Documents in requests on each API, and a gateway that reads them. */

import type { Json } from "../support/event_stream.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import type { WebOptions, WebRig } from "../server_tools/web_rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import type { Api } from "./rig.ts";

/** A document that another program has made (tests/reader/programs). */
export const madeBytes = (name: string): Uint8Array<ArrayBuffer> =>
  Deno.readFileSync(new URL(`../reader/programs/made/${name}`, import.meta.url));

export const types = {
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  bin: "application/octet-stream",
} as const;

export interface SentDocument {
  readonly name?: string;
  readonly type?: string;
  readonly bytes?: Uint8Array;
  /** Instead of the bytes. */
  readonly url?: string;
}

/** A question with documents, in the form of an API. */
export function question(api: Api, documents: readonly SentDocument[]): unknown {
  const text = "What does it say?";
  const parts = documents.map((document) => partOn[api](document));
  if (api !== "responses") return [...parts, { type: "text", text }];
  return [{ role: "user", content: [...parts, { type: "input_text", text }] }];
}

const dataUrl = ({ type = types.pdf, bytes = new Uint8Array(0) }: SentDocument) =>
  `data:${type};base64,${bytes.toBase64()}`;

const partOn: Readonly<Record<Api, (document: SentDocument) => Json>> = {
  responses: (document) => ({
    type: "input_file",
    filename: document.name,
    ...(document.url === undefined ? { file_data: dataUrl(document) } : { file_url: document.url }),
  }),
  chat: (document) => ({
    type: "file",
    file: { filename: document.name, file_data: document.url ?? dataUrl(document) },
  }),
  messages: ({ name, type = types.pdf, bytes = new Uint8Array(0), url }) => ({
    type: "document",
    title: name,
    source: url === undefined
      ? { type: "base64", media_type: type, data: bytes.toBase64() }
      : { type: "url", url },
  }),
};

/** Models that read text only, unless told otherwise. */
export async function withDocuments(
  options: WebOptions,
  test: (rig: WebRig) => Promise<void>,
): Promise<void> {
  await using reader = quickReaderRig();
  const { gateway, model = { input_modalities: ["text"] }, ...rest } = options;
  await withWeb({ ...rest, model, gateway: { keeper: reader.keeper, ...gateway } }, test);
}
