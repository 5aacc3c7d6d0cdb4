/** Uploads as the bytes of a request, in the parts at which a client may break off. */

import { joined } from "./reply.ts";
import type { Gateway } from "./gateway.ts";

export interface RawUploadOptions {
  readonly content: Uint8Array;
  /** Bytes of each chunk of the body, whose length is not told then. */
  readonly chunkSize?: number;
}

export interface RawUpload {
  readonly bytes: Uint8Array;
  /** Offsets at which the request's parts begin: its head, the part's headers, the content, the closing boundary. */
  readonly offsets: readonly number[];
}

const encoder = new TextEncoder();
const BOUNDARY = "boundary-of-a-test";

export const partHeaders =
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nassistants\r\n` +
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n` +
  "Content-Type: text/plain\r\n\r\n";
export const closingBoundary = `\r\n--${BOUNDARY}--\r\n`;
export const formType = `multipart/form-data; boundary=${BOUNDARY}`;

/** The head of an upload; `length` is that of the form. */
export function uploadHead({ apiKey }: Pick<Gateway, "apiKey">, length?: number): string {
  const framing = length === undefined ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  return `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: ${formType}\r\n${framing}\r\n\r\n`;
}

/** Bytes of the form around a content. */
export const FORM_EXTRA = partHeaders.length + closingBoundary.length;

export function rawUpload(
  gateway: Pick<Gateway, "apiKey">,
  { content, chunkSize }: RawUploadOptions,
): RawUpload {
  const parts = [encoder.encode(partHeaders), content, encoder.encode(closingBoundary)];
  const length = chunkSize === undefined ? content.length + FORM_EXTRA : undefined;
  const framed = chunkSize === undefined ? parts : parts.map((part) => chunksOf(part, chunkSize));
  const last = chunkSize === undefined ? "" : "0\r\n\r\n";
  const all = [encoder.encode(uploadHead(gateway, length)), ...framed, encoder.encode(last)];
  const sizes = all.map((part) => part.length);
  const offsets = [0, 1, 2, 3].map((index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  return { bytes: joined(all), offsets };
}

function chunksOf(bytes: Uint8Array, size: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length; offset += size) {
    const chunk = bytes.subarray(offset, offset + size);
    chunks.push(encoder.encode(`${chunk.length.toString(16)}\r\n`), chunk, encoder.encode("\r\n"));
  }
  return joined(chunks);
}
