/** A gateway whose files a model may search. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { asObject } from "../support/event_stream.ts";
import { upload, utf8 } from "../support/files.ts";
import type { Gateway } from "../support/gateway.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { calls, itemsOf, type RigOptions, says, send, type ToolRig, wholeOf, withTools } from "./rig.ts";

/** All files of a test are read and indexed by one process. */
export async function withFiles(options: RigOptions, test: (rig: ToolRig) => Promise<void>): Promise<void> {
  await using reader = quickReaderRig();
  await withTools({ keeper: reader.keeper, ...options }, test);
}

interface NewFile {
  readonly name: string;
  readonly text: string | Uint8Array<ArrayBuffer>;
  readonly token?: string;
}

/** Uploads a file and gives its id. */
export async function addFile(
  gateway: Pick<Gateway, "url" | "apiKey">,
  { name, text, token }: NewFile,
): Promise<string> {
  const bytes = typeof text === "string" ? utf8(text) : text;
  const { status, body } = await upload(gateway, { name, bytes, token });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.id);
}

export const searchTool = (more: Json = {}): Json => ({
  type: "file_search",
  vector_store_ids: ["workspace"],
  ...more,
});

interface SearchOptions {
  readonly tool?: Json;
  readonly queries: readonly string[];
  readonly key?: string;
}

interface Found {
  /** The item of the call. */
  readonly item: Json;
  /** Results in the item. */
  readonly results: readonly Json[];
  /** The result that the model read. */
  readonly told: Json;
}

/** One search of a model, as a client of the Responses API that wants the results sees it. */
export async function search(
  { gateway, plan }: ToolRig,
  { tool = searchTool(), queries, key }: SearchOptions,
): Promise<Found> {
  plan((turn) => turn === 0 ? [calls("file_search", { args: { queries } })] : [says("Done.")]);
  const include = ["file_search_call.results"];
  const sent = await send(gateway, {
    key,
    body: { model: "mock/chat", input: "Find it.", tools: [tool], include },
  });
  const [item = {}] = itemsOf(wholeOf(sent));
  const results = Array.isArray(item.results) ? item.results.map(asObject) : [];
  return { item, results, told: asObject(JSON.parse(String(item.output))) };
}
