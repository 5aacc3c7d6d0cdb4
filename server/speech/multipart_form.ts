/** A form with files in it, as bytes (RFC 7578). */

import { createHash } from "node:crypto";
import type { FormPart } from "./dialect.ts";

interface MultipartForm {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
}

const encoder = new TextEncoder();

/** The boundary is made of the contents, so that no part can hold it. */
export function renderMultipart(parts: readonly FormPart[]): MultipartForm {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part.type === "field" ? part.value : part.data);
  const boundary = `tollgate-${hash.digest("hex").slice(0, 32)}`;
  const chunks = parts.flatMap((
    part,
  ) => [encoder.encode(partHeader(part, boundary)), contentOf(part), lineEnd]);
  chunks.push(encoder.encode(`--${boundary}--\r\n`));
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, contentType: `multipart/form-data; boundary=${boundary}` };
}

const lineEnd = encoder.encode("\r\n");

function partHeader(part: FormPart, boundary: string): string {
  const name = `--${boundary}\r\ncontent-disposition: form-data; name="${escaped(part.name)}"`;
  if (part.type === "field") return `${name}\r\n\r\n`;
  return `${name}; filename="${escaped(part.filename)}"\r\ncontent-type: ${part.mediaType}\r\n\r\n`;
}

const contentOf = (part: FormPart): Uint8Array =>
  part.type === "field"
    ? encoder.encode(part.value)
    : Uint8Array.fromBase64(part.data, { lastChunkHandling: "loose" });

/** As browsers do. */
const escaped = (name: string): string =>
  name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
