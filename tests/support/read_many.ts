/**
 * The reader's program for many documents: frames from standard input, and one for each to standard output.
 * It runs with the configuration of the reader's child, which has the packages.
 */

import { encodeFrame, FrameReader, streamReader } from "../../server/sandbox/keeper/frames.ts";
import { type ReadReply, type ReadRequest, readRequestSchema } from "../../server/web/reader/messages.ts";

type ReadDocument = (request: ReadRequest, bytes: Uint8Array) => Promise<ReadReply>;
const toReadDocument = (module: { readonly readDocument: unknown }) => module.readDocument as ReadDocument;

// Not a literal: the packages of the child are not those of the tests.
const path = new URL("../../server/web/reader/child/read_document.ts", import.meta.url).href;
const readDocument = toReadDocument(await import(path));

const frames = new FrameReader(streamReader(Deno.stdin.readable));
for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
  const request = readRequestSchema.parse(frame.header);
  const reply = JSON.stringify(await readDocument(request, frame.body));
  const bytes = encodeFrame({}, new TextEncoder().encode(reply));
  for (let offset = 0; offset < bytes.length;) offset += await Deno.stdout.write(bytes.subarray(offset));
}
