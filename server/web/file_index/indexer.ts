/** Makes indexes of texts outside of the gateway's process, in the child that reads documents. */

import { tryParseJson } from "../../../shared/util/json.ts";
import { nextLongStep } from "../../../shared/util/long_step.ts";
import { encodeFrame } from "../../sandbox/keeper/frames.ts";
import { type Keeper, KeeperUnavailable } from "../../sandbox/keeper/keeper.ts";
import { type IndexLine, indexLineSchema, type IndexRequest } from "./index_messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Indexes of texts in their order, null for what is no text; undefined: they could not be made now. */
export type Indexer = (texts: readonly Bytes[]) => Promise<readonly IndexLine[] | undefined>;

/** Most bytes of a text, so that reading its index takes a moment only. */
export const MAX_TEXT_BYTES = 256 * 1024;
/** Most bytes of all texts of a call, so that their indexes are made in time and fit into the reply. */
export const MAX_INDEX_BYTES = 1.5 * 1024 * 1024;
/** Most texts of a call. */
export const MAX_INDEX_TEXTS = 500;

export function createIndexer({ keeper }: { readonly keeper: Keeper }): Indexer {
  return async (texts) => {
    const header: IndexRequest = { type: "index", lengths: texts.map(({ length }) => length) };
    const { signal } = new AbortController();
    try {
      const { outcome, output } = await keeper.run("reader", {
        input: encodeFrame(header, Buffer.concat(texts)),
        signal,
      });
      const lines = outcome === "done" ? await readLines(new TextDecoder().decode(output)) : undefined;
      return lines?.length === texts.length ? lines : undefined;
    } catch (error) {
      if (error instanceof KeeperUnavailable) return undefined;
      throw error;
    }
  };
}

/** Undefined where a line is none of an index. */
async function readLines(text: string): Promise<readonly IndexLine[] | undefined> {
  const read: IndexLine[] = [];
  for (const line of text.split("\n")) {
    await nextLongStep();
    const { data } = indexLineSchema.safeParse(tryParseJson(line));
    if (data === undefined) return undefined;
    read.push(data);
  }
  return read;
}
