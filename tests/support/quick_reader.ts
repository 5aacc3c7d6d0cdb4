/** A reader for tables of documents: one child process reads all of them, without limits of time and memory. */

import { fileURLToPath } from "node:url";
import { FrameReader, streamReader } from "../../server/sandbox/keeper/frames.ts";
import type { Keeper, ProgramRun } from "../../server/sandbox/keeper/keeper.ts";
import { createReader } from "../../server/web/reader/reader.ts";
import { endlessTime, linesLogger, type ReaderRig, readWith } from "./reader.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const config = path("../../server/web/reader/child/deno.json");
const args = [
  "run",
  "--no-prompt",
  "--allow-read",
  "--cached-only",
  "--no-check",
  `--config=${config}`,
  path("read_many.ts"),
];

const noBytes = new Uint8Array(0);

/** The packages of the reader must have been fetched. */
export function quickReaderRig(): ReaderRig {
  const lines: string[] = [];
  const program = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = program.stdin.getWriter();
  const frames = new FrameReader(streamReader(program.stdout));
  let last: Promise<unknown> = Promise.resolve();
  const exchange = async (input: Uint8Array): Promise<ProgramRun> => {
    await writer.write(input);
    const frame = await frames.next();
    return frame === undefined
      ? { outcome: "failed", output: noBytes }
      : { outcome: "done", output: frame.body };
  };
  const keeper: Keeper = {
    unavailableReason: undefined,
    problem: undefined,
    run: (_, { input }) => {
      const run = last.then(() => exchange(input));
      last = run;
      return run;
    },
    open: () => {
      throw new Error("Nothing stays in this reader");
    },
    close: async () => {
      await writer.close();
      // It ends when its input does; what it was writing is read, so that nothing stays open.
      while (await frames.next() !== undefined);
      await program.status;
    },
  };
  const reader = createReader({ keeper, log: linesLogger(lines), clock: endlessTime, concurrency: 1_000 });
  return {
    keeper,
    lines,
    read: (body, changes = {}) => readWith(reader, { body, changes }),
    [Symbol.asyncDispose]: () => keeper.close(),
  };
}
