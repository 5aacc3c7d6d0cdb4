/**
 * Reads one document and ends: a page, a PDF or a text from standard input, its text to standard output. It also makes
 * the indexes of texts by which a search finds them. It runs without any permission, because what it parses may be
 * hostile.
 */

import * as z from "zod";
import { FrameReader, streamReader } from "../../../sandbox/keeper/frames.ts";
import { indexRequestSchema } from "../../file_index/index_messages.ts";
import { readRequestSchema } from "../messages.ts";

async function write(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let offset = 0; offset < bytes.length;) offset += await Deno.stdout.write(bytes.subarray(offset));
}

const requestSchema = z.discriminatedUnion("type", [readRequestSchema, indexRequestSchema]);

async function replyTo(request: z.output<typeof requestSchema>, body: Uint8Array): Promise<string> {
  if (request.type === "index") {
    const { makeIndexes } = await import("./index/make_indexes.ts");
    return (await makeIndexes(request, body)).map((line) => JSON.stringify(line)).join("\n");
  }
  const { readDocument } = await import("./read_document.ts");
  return JSON.stringify(await readDocument(request, body));
}

const frame = await new FrameReader(streamReader(Deno.stdin.readable)).next();
const request = requestSchema.parse(frame?.header);
await write(await replyTo(request, frame?.body ?? new Uint8Array(0)));
