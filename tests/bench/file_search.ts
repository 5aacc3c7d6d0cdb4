/**
 * `deno run -A --config tests/deno.json tests/bench/file_search.ts [FILES]`: searches so many files (1,000) on the
 * embedded store, with their bytes and indexes in a folder, and prints the time of the first search, which makes the
 * indexes, of one that reads the kept ones, and of those that find them in memory; and the longest pause of the event
 * loop meanwhile. Other programs on the machine add to all of these; they add nothing to `work`, the most processor
 * time of the main thread between two looks at the clock (on Linux; elsewhere 0).
 */

import { createFileSearcher } from "../../server/app/compose/file_search.ts";
import { openEmbedded } from "../../server/storage/stores/embedded/open_embedded.ts";
import { FolderBlobStore } from "../../server/storage/blobs/folder_blob_store.ts";
import { FileStore } from "../../server/storage/files/file_store.ts";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { createReader } from "../../server/web/reader/reader.ts";
import { createRuntime } from "../../server/runtime.ts";

const FILES = Number(Deno.args[0] ?? 1_000);
const MIB = 1024 * 1024;
const WORKSPACE = "0b0c7d3e-5d0e-4f3a-9a61-9d3a1c2b4e5f";
const quiet = () => {};
const runtime = createRuntime({ debug: quiet, info: quiet, warn: console.warn, error: console.error });

/** The project's own documents and sources in texts of 10,000 characters, as often as needed. */
function* texts(): Generator<string> {
  const all = [...sources("docs"), ...sources("server")].map((path) => Deno.readTextFileSync(path)).join(
    "\n",
  );
  for (let at = 0;; at = (at + 10_000) % (all.length - 10_000)) yield all.slice(at, at + 10_000);
}

function* sources(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (/\.(md|ts)$/.test(name)) yield `${folder}/${name}`;
  }
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text));
}

interface Measured {
  readonly ms: number;
  readonly pause: number;
  readonly work: number;
}

/** Milliseconds of processor time that the main thread has used: its number is that of the process. */
const usedMs = Deno.build.os === "linux"
  ? () => Number(Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/schedstat`).split(" ")[0]) / 1e6
  : () => 0;

/** Milliseconds of `run`, of the longest pause of the event loop meanwhile, and of the most work between two looks. */
async function measured(run: () => Promise<unknown>): Promise<Measured> {
  let [last, used, pause, work] = [performance.now(), usedMs(), 0, 0];
  const look = () => {
    const [now, nowUsed] = [performance.now(), usedMs()];
    pause = Math.max(pause, now - last);
    work = Math.max(work, nowUsed - used);
    [last, used] = [now, nowUsed];
  };
  const timer = setInterval(look, 1);
  const began = performance.now();
  await run();
  look();
  clearInterval(timer);
  return { ms: Math.round(last - began), pause: Math.round(pause), work: Math.round(work) };
}

const folder = await Deno.makeTempDir({ prefix: "tollgate-bench-" });
const store = await openEmbedded(folder, { runtime, deadlineMs: 60_000 });
const keeper = startKeeper({ clock: runtime.clock, log: runtime.log, env: keeperEnvironment() });
try {
  const blobs = new FolderBlobStore(`${folder}/blobs`);
  const limits = { maxFileBytes: MIB, workspaceFileBytes: 1_000 * MIB };
  const files = new FileStore({ store, blobs, runtime, limits });
  const readDocument = createReader({ keeper, log: runtime.log, clock: runtime.clock, concurrency: 2 });
  const parts = { store, blobs, files, runtime, keeper, readDocument };
  const text = texts();
  for (let at = 0; at < FILES; at++) {
    const written = await files.writeContent(WORKSPACE, once(text.next().value ?? ""));
    const workspaceCheck = () => Promise.resolve({ key: ["bench"], version: null });
    await files.commit(written, { keyId: null, filename: `file ${at}.md`, origin: "tool", workspaceCheck });
  }
  const searcher = () => createFileSearcher(parts);
  const search = (query: string, one = searcher()) =>
    measured(async () => {
      const { signal } = new AbortController();
      const asked = { workspaceId: WORKSPACE, ids: ["workspace"], queries: [query], filter: undefined };
      // A busy machine makes the indexes in more than one search.
      for (let pending = 1; pending > 0;) {
        const found = await one?.search({ ...asked, maxResults: 10, threshold: 0, signal });
        pending = found?.pending ?? 0;
      }
    });
  console.log("makes the indexes", await search("reservation of money"));
  console.log("reads kept indexes", await search("reservation of money"));
  const warm = searcher();
  await search("reservation of money", warm);
  const queries = [
    "how do I set the price of a model",
    "guardrail that masks names of people",
    "restore after a crash",
  ];
  for (const query of [...queries, ...queries]) console.log(query, await search(query, warm));
} finally {
  await keeper.close();
  await store.close();
  await Deno.remove(folder, { recursive: true });
}
