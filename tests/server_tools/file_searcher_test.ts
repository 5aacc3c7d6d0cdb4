/** How much a search of files reads, keeps in memory and waits for. */

import assert from "node:assert/strict";
import { decodeIndex, encodeIndex } from "../../server/pipeline/tools/file_search/file_index.ts";
import {
  FileSearcher,
  type SearchLimits,
  searchLimits,
} from "../../server/pipeline/tools/file_search/file_searcher.ts";
import type { WorkspaceFile } from "../../server/pipeline/tools/file_search/workspace_files.ts";
import { encodeTerms, type IndexPart } from "../../server/web/file_index/index_part.ts";
import { wordsOf } from "../../server/web/file_index/words.ts";
import { fakeClock } from "../support/clock.ts";
import { linesLogger } from "../support/reader.ts";

/** The index of a short text as one piece. */
function partOf(text: string): IndexPart {
  const words = [...wordsOf(text)];
  const counted = [...new Set(words)].sort().map((term) => ({
    term,
    counts: [{ piece: 0, count: words.filter((word) => word === term).length }],
  }));
  return { text, pieces: [{ start: 0, end: text.length, words: words.length }], ...encodeTerms(counted) };
}

const fileOf = (at: number): WorkspaceFile => ({
  workspaceId: "w",
  id: `tg_file_${at}`,
  filename: `${at}.txt`,
  mimeType: "text/plain",
  size: 10,
  createdAt: 1_000 - at,
  origin: "upload",
  purpose: null,
});

interface RigOptions {
  /** Texts of files, the newest first. */
  readonly texts: readonly string[];
  readonly limits?: Partial<SearchLimits>;
  /** Files without a kept index; it is not made either. */
  readonly unmade?: readonly number[];
}

function rig({ texts, limits = {}, unmade = [] }: RigOptions) {
  const clock = fakeClock();
  const opened: string[] = [];
  const files = texts.map((_, at) => fileOf(at));
  const { promise: never } = Promise.withResolvers<undefined>();
  const searcher = new FileSearcher({
    files: {
      find: (_workspace, id) => Promise.resolve(files.find((file) => file.id === id)),
      list: (_workspace, most) => Promise.resolve(files.slice(0, most)),
      open: () => Promise.resolve(new Blob(["x"]).stream()),
      openIndex: ({ id, filename }) => {
        opened.push(filename);
        const at = files.findIndex((file) => file.id === id);
        if (unmade.includes(at)) return Promise.resolve(undefined);
        return Promise.resolve(
          ReadableStream.from(encodeIndex({ truncated: false }, [partOf(texts[at] ?? "")])),
        );
      },
      keepIndex: () => Promise.resolve(),
    },
    read: () => never.then(() => ({ type: "failed", reason: "busy", message: "", isPassing: true })),
    index: () => never,
    clock,
    log: linesLogger([]),
    limits: { ...searchLimits, ...limits },
  });
  const search = (signal = new AbortController().signal) =>
    searcher.search({
      workspaceId: "w",
      ids: ["workspace"],
      queries: ["llama"],
      filter: undefined,
      maxResults: 10,
      threshold: 0,
      signal,
    });
  return { clock, opened, search };
}

Deno.test("a search reads the newest files as far as its text goes, and says how many it left out", async () => {
  const texts = ["A llama.", "One more llama.", "An old llama.", "The oldest llama."];
  const { search } = rig({ texts, limits: { textLength: 25 } });
  const { passages, searched, leftOut } = await search();
  assert.deepEqual(passages.map(({ file }) => file.filename).toSorted(), ["0.txt", "1.txt"]);
  assert.deepEqual([searched, leftOut], [2, 2]);
  const few = await rig({ texts, limits: { files: 1 } }).search();
  assert.equal(few.searched, 1);
});

Deno.test("a search keeps the indexes that it has room for, and reads the others again", async () => {
  const texts = ["A llama.", "One more llama.", "A boat."];
  const kept = rig({ texts });
  await kept.search();
  await kept.search();
  assert.equal(kept.opened.length, 3);
  // A text of two bytes a unit and its words, as much as one search reads.
  assert(searchLimits.cacheBytes > 3 * searchLimits.textLength);
  const forgotten = rig({ texts, limits: { cacheBytes: 1 } });
  const [first, second] = [await forgotten.search(), await forgotten.search()];
  assert.equal(forgotten.opened.length, 6);
  assert.deepEqual(
    first.passages.map(({ text, score }) => [text, score]),
    second.passages.map((one) => [one.text, one.score]),
  );
});

Deno.test("a search does not wait for ever for indexes, and ends with its signal", async () => {
  const { clock, opened, search } = rig({ texts: ["A llama.", "A hidden llama."], unmade: [1] });
  const searching = search();
  await clock.advanceOnce(() => opened.length === 2, searchLimits.makingMs);
  const { passages, pending } = await searching;
  assert.deepEqual([passages.length, pending], [1, 1]);
  const controller = new AbortController();
  const left = search(controller.signal);
  controller.abort(new Error("left"));
  await assert.rejects(left, /left/);
});

const cuts = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> =>
  ReadableStream.from(
    Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, at) => bytes.subarray(at * size, (at + 1) * size),
    ),
  );

const encoded = async (texts: readonly string[]): Promise<Uint8Array<ArrayBuffer>> => {
  const lines = ReadableStream.from(encodeIndex({ truncated: true, title: "T" }, texts.map(partOf)));
  return await new Response(lines).bytes();
};

Deno.test("decodeIndex gives back what encodeIndex was given, wherever its bytes are cut", async () => {
  const texts = ["A llama.", "", "Ein Lama äße — 語 🦙", "Last."];
  const bytes = await encoded(texts);
  for (const size of [1, 2, 3, 7, 100, bytes.length]) {
    const index = await decodeIndex(cuts(bytes, size));
    assert.deepEqual([index?.truncated, index?.title, index?.length], [true, "T", texts.join("").length]);
    assert.deepEqual(index?.parts.map(({ text }) => text), texts);
    assert.deepEqual(index?.parts.map(({ offset }) => offset), [0, 8, 8, 8 + (texts[2]?.length ?? 0)]);
  }
});

Deno.test("decodeIndex refuses what is damaged, and ends reading", async () => {
  const [head = "", part = "", other = ""] = new TextDecoder().decode(await encoded(["A.", "B."])).split(
    "\n",
  );
  const damaged = {
    nothing: "",
    "no head": part,
    "another version": head.replace(/"version":\d+/, '"version":0'),
    "a part too few": `${head}\n${part}\n`,
    "a part too many": `${head}\n${part}\n${other}\n${part}\n`,
    "half a part": `${head}\n${part}\n${other.slice(0, 20)}`,
    "counts that do not fit": `${head}\n${part}\n${other.replace(/"counts":"[^"]*"/, '"counts":""')}\n`,
  };
  for (const [name, text] of Object.entries(damaged)) {
    // Behind another head nothing is read.
    const isRead = text.startsWith(head);
    let isCancelled = false;
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(`${text}\n`)),
      pull: (controller) => isRead ? controller.close() : undefined,
      cancel: () => void (isCancelled = true),
    });
    assert.equal(await decodeIndex(content), undefined, name);
    assert.equal(isCancelled, !isRead, name);
  }
});
