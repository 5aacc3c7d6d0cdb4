/**
 * Reads one document and ends: a page or a PDF from standard input, its text to standard output. It runs without any
 * permission, because what it parses may be hostile.
 */

import { FrameReader, streamReader } from "../../keeper/frames.ts";
import { createClock } from "../../runtime.ts";
import { type ReadReply, readRequestSchema } from "../messages.ts";

async function readDocument(): Promise<ReadReply> {
  const frame = await new FrameReader(streamReader(Deno.stdin.readable)).next();
  const request = readRequestSchema.parse(frame?.header);
  const bytes = frame?.body ?? new Uint8Array(0);
  // Either half of the packages takes its time to load.
  if (request.type === "html") {
    const { readHtml } = await import("./read_html.ts");
    return { type: "document", ...readHtml(bytes, request) };
  }
  const { readPdf } = await import("./read_pdf.ts");
  return await readPdf(bytes, { ...request, clock: createClock() });
}

async function write(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length;) offset += await Deno.stdout.write(bytes.subarray(offset));
}

await write(JSON.stringify(await readDocument()));
