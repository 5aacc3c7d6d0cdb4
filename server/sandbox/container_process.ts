/** The process of one container, as its user sees it: runs commands and hands out what they wrote. */

import { endedSchema, MAX_CHUNK_BYTES, MAX_OUTPUT_BYTES } from "./messages.ts";
import type * as z from "zod";
import { decodePack, encodePack } from "./pack.ts";
import { PrintedSoFar } from "./printed_so_far.ts";
import { type FetchPage, type FindWheels, ProcessCalls } from "./process_calls.ts";
import { ProcessEnded, type ProcessResponse, type ProcessSession } from "./process_session.ts";
import type {
  CommandInput,
  CommandOutcome,
  EndedCommand,
  KilledCommand,
  NetworkPolicy,
  OpenProcessInput,
  SandboxProcess,
  StoredEntry,
} from "./sandbox.ts";
import type { Clock } from "../runtime.ts";

interface ContainerProcessOptions {
  readonly session: ProcessSession;
  readonly network: NetworkPolicy;
  readonly clock: Clock;
  readonly fetchPage: FetchPage;
  readonly findWheels: FindWheels;
  readonly onRelease: (process: ContainerProcess, version: string | undefined) => void;
}

/** For what does not run a command's code: only a process that was taken over takes longer. */
const READ_MS = 10_000;
const LOAD_MS = 30_000;
/** A command that the process has not ended at its time is ended from outside so much later. */
const GRACE_MS = 1_000;

const killReasons: ReadonlyMap<string, KilledCommand["reason"]> = new Map([
  ["time_limit", "time_limit"],
  ["memory_limit", "memory_limit"],
  ["stopped", "stopped"],
]);

export class ContainerProcess implements SandboxProcess {
  readonly #options: ContainerProcessOptions;

  constructor(options: ContainerProcessOptions) {
    this.#options = options;
  }

  get session(): ProcessSession {
    return this.#options.session;
  }

  get network(): NetworkPolicy {
    return this.#options.network;
  }

  /** Puts the container's files in. Rejects with ProcessEnded. */
  async load(entries: ReturnType<OpenProcessInput["entries"]>): Promise<void> {
    for await (const pack of loadPacks(entries)) {
      const { type } = await this.session.request({ type: "load", body: pack, timeMs: LOAD_MS });
      if (type === "full") throw new ProcessEnded("memory_limit", {});
    }
  }

  async run(input: CommandInput): Promise<CommandOutcome> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const outcome = await this.#run(input);
    input.signal.throwIfAborted();
    return { ...outcome, elapsedMs: clock.monotonic() - startedAt };
  }

  async #run(input: CommandInput): Promise<EndedCommand | KilledCommand> {
    const { language, code, workingFolder, environment, timeoutMs, signal } = input;
    const { session, network } = this.#options;
    signal.throwIfAborted();
    const command = {
      language,
      code,
      workingFolder,
      environment: Object.entries(environment),
      network: network.type !== "disabled",
      timeMs: timeoutMs,
    };
    const calls = new ProcessCalls({ ...this.#options, signal });
    const printed = new PrintedSoFar();
    const stop = () => session.kill();
    signal.addEventListener("abort", stop);
    try {
      return toEnded(
        await session.request({
          type: "run",
          body: encodePack(command),
          timeMs: timeoutMs + GRACE_MS,
          onCall: (name, value) => calls.answer(name, value),
          onPrinted: printed.add,
        }),
      );
    } catch (error) {
      // Also for an answer that makes no sense.
      session.kill("failed");
      const reason = error instanceof ProcessEnded ? killReasons.get(error.outcome) : undefined;
      return { type: "killed", reason: reason ?? "failed", ...printed.texts };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async *readFile(path: string): AsyncGenerator<Uint8Array> {
    for (let offset = 0;;) {
      const request = { path, offset, length: MAX_CHUNK_BYTES };
      const { type, body } = await this.session.request({
        type: "read",
        body: encodePack(request),
        timeMs: READ_MS,
      });
      if (type !== "content" || body.length > MAX_CHUNK_BYTES) {
        throw new Error("The process answers nonsense");
      }
      yield body;
      offset += body.length;
      if (body.length < MAX_CHUNK_BYTES) return;
    }
  }

  release(version: string | undefined): void {
    this.#options.onRelease(this, version);
  }
}

type Ended = z.output<typeof endedSchema>;

/** Throws for what is no end of a command. */
function toEnded({ type, body }: ProcessResponse): EndedCommand {
  if (type !== "ended") throw new Error("The process answers nonsense");
  const { value, bytes } = decodePack(body);
  const { stdout, stderr, environment, ...ended }: Ended = endedSchema.parse(value);
  const decoder = new TextDecoder();
  const text = (offset: number, size: number) =>
    decoder.decode(bytes.subarray(offset, offset + Math.min(size, MAX_OUTPUT_BYTES)));
  return {
    ...ended,
    type: "ended",
    stdout: text(0, stdout),
    stderr: text(stdout, stderr),
    environment: Object.fromEntries(environment),
  };
}

interface LoadedPart {
  readonly entry: StoredEntry["entry"];
  readonly bytes: number;
  readonly isContinued: boolean;
}

/** Packs of up to {@link MAX_CHUNK_BYTES} of content; a large file goes over several. */
async function* loadPacks(entries: AsyncIterable<StoredEntry>): AsyncGenerator<Uint8Array> {
  let parts: LoadedPart[] = [];
  let contents: Uint8Array[] = [];
  let size = 0;
  const take = () => {
    const pack = encodePack(parts, contents);
    [parts, contents, size] = [[], [], 0];
    return pack;
  };
  for await (const { entry, read } of entries) {
    const content = await read?.() ?? new Uint8Array(0);
    let offset = 0;
    do {
      const chunk = content.subarray(offset, offset + MAX_CHUNK_BYTES - size);
      parts.push({ entry, bytes: chunk.length, isContinued: offset > 0 });
      contents.push(chunk);
      offset += chunk.length;
      size += chunk.length;
      if (size >= MAX_CHUNK_BYTES || parts.length >= MAX_PARTS) yield take();
    } while (offset < content.length);
  }
  if (parts.length > 0) yield take();
}

/** Entries of one pack: their paths take space too. */
const MAX_PARTS = 1_000;
