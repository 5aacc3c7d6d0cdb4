/**
 * The reader's program for many documents: frames from standard input, and one for each to standard output.
 * It runs with the configuration of the reader's child, which has the packages.
 */

import { encodeFrame, FrameReader, streamReader } from "../../server/sandbox/keeper/frames.ts";
import {
  type IndexLine,
  type IndexRequest,
  indexRequestSchema,
} from "../../server/web/file_index/index_messages.ts";
import { type ReadReply, type ReadRequest, readRequestSchema } from "../../server/web/reader/messages.ts";

type ReadDocument = (request: ReadRequest, bytes: Uint8Array) => Promise<ReadReply>;
const toReadDocument = (module: { readonly readDocument: unknown }) => module.readDocument as ReadDocument;
type MakeIndexes = (request: IndexRequest, bytes: Uint8Array) => Promise<readonly IndexLine[]>;
const toMakeIndexes = (module: { readonly makeIndexes: unknown }) => module.makeIndexes as MakeIndexes;

// Not literals: the packages of the child are not those of the tests.
const path = (name: string) => new URL(`../../server/web/reader/child/${name}`, import.meta.url).href;
const readDocument = toReadDocument(await import(path("read_document.ts")));
const makeIndexes = toMakeIndexes(await import(path("index/make_indexes.ts")));

async function replyTo(header: unknown, body: Uint8Array): Promise<string> {
  const index = indexRequestSchema.safeParse(header).data;
  if (index === undefined) return JSON.stringify(await readDocument(readRequestSchema.parse(header), body));
  return (await makeIndexes(index, body)).map((line) => JSON.stringify(line)).join("\n");
}

const frames = new FrameReader(streamReader(Deno.stdin.readable));
for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
  const reply = await replyTo(frame.header, frame.body);
  const bytes = encodeFrame({}, new TextEncoder().encode(reply));
  for (let offset = 0; offset < bytes.length;) offset += await Deno.stdout.write(bytes.subarray(offset));
}
