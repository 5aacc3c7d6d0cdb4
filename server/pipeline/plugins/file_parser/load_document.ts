/** The bytes of a document, as the request carries them or from where it says that they are. */

import { ApiError } from "../../../../shared/errors.ts";
import { truncate } from "../../../../shared/util/text.ts";
import type { FilePart } from "../../../protocols/canonical/item.ts";
import { toDataUrl } from "../../../protocols/common/outbound/data_url.ts";
import { FetchError } from "../../../web/fetch/fetch_error.ts";
import type { FetchedResource } from "../../../web/fetch/guarded_fetch.ts";
import type { WebAccess } from "../../tools/tool_definition.ts";
import { documentName } from "./document_name.ts";

export interface LoadedDocument {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Empty where nobody names one. */
  readonly contentType: string;
  /** Where it is from; empty where the request carries it. */
  readonly url: string;
  /** SHA-256 as hexadecimal digits. */
  readonly hash: string;
}

interface LoadDeps {
  readonly web: Pick<WebAccess, "fetch">;
  readonly signal: AbortSignal;
}

/** Throws an ApiError (400) where it is no base64, or cannot be fetched. */
export async function loadDocument(part: FilePart, deps: LoadDeps): Promise<LoadedDocument> {
  const found = part.data === undefined ? await fetchDocument(part, deps) : carried(part, part.data);
  const digest = await crypto.subtle.digest("SHA-256", found.bytes);
  return { ...found, hash: new Uint8Array(digest).toHex() };
}

type Found = Omit<LoadedDocument, "hash">;

function carried(part: FilePart, data: string): Found {
  const url = toDataUrl(data, part.filename);
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, comma);
  const body = url.slice(comma + 1);
  const bytes = /;base64$/i.test(head) ? fromBase64(body) : fromEscapes(body);
  if (bytes === undefined) throw unreadable(part, "its data is neither a data URL nor base64.");
  return { bytes, contentType: head.replace(/;base64$/i, ""), url: "" };
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet: /[-_]/.test(text) ? "base64url" : "base64" });
  } catch (_error) {
    // Whatever it is, it is no base64.
    return undefined;
  }
}

function fromEscapes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch (_error) {
    // A per cent sign that begins nothing.
    return undefined;
  }
}

async function fetchDocument(part: FilePart, { web, signal }: LoadDeps): Promise<Found> {
  const { url, status, contentType, body } = await fetched(part, { web, signal });
  if (status < 200 || status > 299) throw unreadable(part, `its server answers with status ${status}.`);
  if (body === undefined) throw unreadable(part, "its server sends nothing.");
  return { bytes: body, contentType, url };
}

async function fetched(part: FilePart, { web, signal }: LoadDeps): Promise<FetchedResource> {
  try {
    return await web.fetch({ url: part.url ?? "", accepts: () => true, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof FetchError)) throw error;
    throw unreadable(part, `its address cannot be fetched: ${error.message}`);
  }
}

/** The API error of a document that has no text to give. `why` ends the sentence. */
export function unreadable(part: FilePart, why: string): ApiError {
  return new ApiError("invalid_request", `Cannot read the file ${truncate(documentName(part))}: ${why}`);
}
