/**
 * Reads one document and ends: a page, a PDF or a text from standard input, its text to standard output. It runs
 * without any permission, because what it parses may be hostile.
 */

import { FrameReader, streamReader } from "../../../sandbox/keeper/frames.ts";
import { readRequestSchema } from "../messages.ts";
import { readDocument } from "./read_document.ts";

async function write(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length;) offset += await Deno.stdout.write(bytes.subarray(offset));
}

const frame = await new FrameReader(streamReader(Deno.stdin.readable)).next();
const request = readRequestSchema.parse(frame?.header);
await write(JSON.stringify(await readDocument(request, frame?.body ?? new Uint8Array(0))));
