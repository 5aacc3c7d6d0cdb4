/** A container of the engine `bubblewrap`, as its user sees it: runs commands and hands out what they wrote. */

import { MAX_CHUNK_BYTES } from "../messages.ts";
import { ProcessEnded } from "../process_session.ts";
import {
  type CommandInput,
  type CommandOutcome,
  type ContainerEntry,
  type EndedCommand,
  type KilledCommand,
  type NetworkPolicy,
  type OpenProcessInput,
  type SandboxProcess,
} from "../sandbox.ts";
import { loadArchives } from "./archives.ts";
import type { BoxResult, BoxSession } from "./box_session.ts";
import { compareLists, type HomeList, ListError, parseList } from "./home_list.ts";
import { CommandProxy, type CommandProxyOptions } from "./network/command_proxy.ts";
import { decodeState, encodeState, type ShellState } from "./shell_state.ts";

interface BoxProcessOptions extends CommandProxyOptions {
  readonly session: BoxSession;
  readonly onRelease: (process: BoxProcess, version: string | undefined) => void;
}

type FileEntry = Extract<ContainerEntry, { type: "file" }>;

const STEP_MS = 10_000;
const LOAD_MS = 30_000;
/** As a shell tells it of a program that a time limit has ended. */
const TIMED_OUT = 124;
/** Contents that are read at once; a larger file is read alone. */
const READ_BYTES = 4 * 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class BoxProcess implements SandboxProcess {
  readonly #options: BoxProcessOptions;
  #files: HomeList = new Map();
  /** Files of the last command's changes that may be asked for, in this order. */
  #written: readonly FileEntry[] = [];
  /** Contents that were read ahead. */
  #contents = new Map<string, Uint8Array>();

  constructor(options: BoxProcessOptions) {
    this.#options = options;
  }

  get session(): BoxSession {
    return this.#options.session;
  }

  get network(): NetworkPolicy {
    return this.#options.network;
  }

  /** Puts the container's files in. Rejects with ProcessEnded. */
  async load(entries: ReturnType<OpenProcessInput["entries"]>): Promise<void> {
    for await (const archive of loadArchives(entries)) {
      const result = await this.session.run({ program: "load", parts: chunks(archive), timeMs: LOAD_MS });
      if (result.limit === "memory" || isFull(result)) throw new ProcessEnded("memory_limit", {});
      if (result.code !== 0) throw new ProcessEnded("failed", { detail: decoder.decode(result.stderr) });
      this.#files = parseList(result.stdout).entries;
    }
  }

  async run(input: CommandInput): Promise<CommandOutcome> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const stop = () => this.session.kill();
    input.signal.throwIfAborted();
    input.signal.addEventListener("abort", stop);
    try {
      const outcome = await this.#run(input);
      input.signal.throwIfAborted();
      return { ...outcome, elapsedMs: clock.monotonic() - startedAt };
    } finally {
      input.signal.removeEventListener("abort", stop);
    }
  }

  async #run(input: CommandInput): Promise<EndedCommand | KilledCommand> {
    let printed: Printed = { stdout: "", stderr: "" };
    try {
      const proxy = this.network.type === "disabled" ? undefined : new CommandProxy(this.#options);
      const result = await this.#runWith(proxy, input);
      printed = printedOf(result, proxy?.notes ?? []);
      const { state, entries } = await this.#list();
      const { changes, isOverflow } = compareLists(this.#files, entries);
      this.#keepList(entries, changes);
      return {
        type: "ended",
        ...endOf(result),
        ...printed,
        ...decodeState(state, input),
        changes,
        isOverflow,
        isNewInterpreter: result.isNew === true,
      };
    } catch (error) {
      if (!(error instanceof ProcessEnded || error instanceof ListError)) throw error;
      // Also for a list that makes no sense.
      this.session.kill("failed");
      return { type: "killed", reason: killReason(error), ...printed };
    }
  }

  async #runWith(proxy: CommandProxy | undefined, input: CommandInput): Promise<BoxResult> {
    if (proxy === undefined) return await this.#runCode(input);
    const { network } = this.session;
    try {
      await network.open(proxy.serve);
      return await this.#runCode(input);
    } finally {
      proxy.close();
      network.close();
    }
  }

  async #runCode({ language, code, timeoutMs, ...state }: CommandInput & ShellState): Promise<BoxResult> {
    const before = encodeState(state);
    const parts = chunks(Buffer.concat([before, encoder.encode(code)]));
    const program = language === "bash" ? "shell" : "python";
    return await this.session.run({ program, parts, timeMs: timeoutMs, stateBytes: before.length });
  }

  async #list(): Promise<ReturnType<typeof parseList>> {
    const result = await this.session.run({ program: "list", parts: [], timeMs: STEP_MS });
    if (result.limit !== undefined) throw new ListError(`The files cannot be listed: ${result.limit}`);
    return parseList(result.stdout);
  }

  #keepList(entries: HomeList, changes: EndedCommand["changes"]): void {
    this.#files = entries;
    this.#contents.clear();
    this.#written = changes.flatMap((change) =>
      change.type === "written" && change.entry.type === "file" && change.entry.size > 0 ? [change.entry] : []
    );
  }

  async *readFile(path: string): AsyncGenerator<Uint8Array> {
    const content = this.#contents.get(path) ?? await this.#read(path);
    this.#contents.delete(path);
    yield content;
  }

  /** Reads it with those that are probably asked for next. */
  async #read(path: string): Promise<Uint8Array> {
    const files = this.#batchFrom(path);
    const parts = [encoder.encode(files.map((file) => `./${file.path}\0`).join(""))];
    const { stdout } = await this.session.run({ program: "read", parts, timeMs: STEP_MS });
    this.#contents = new Map();
    let offset = 0;
    for (const file of files) {
      this.#contents.set(file.path, stdout.subarray(offset, offset += file.size));
    }
    const content = this.#contents.get(path);
    if (content === undefined || offset !== stdout.length) {
      throw new Error("Files have another size than listed");
    }
    return content;
  }

  #batchFrom(path: string): readonly FileEntry[] {
    const start = this.#written.findIndex((file) => file.path === path);
    if (start < 0) throw new Error("The last command did not write this file");
    let left = READ_BYTES;
    const files = this.#written.slice(start);
    const end = files.findIndex(({ size }, index) => (left -= size) < 0 && index > 0);
    return end < 0 ? files : files.slice(0, end);
  }

  release(version: string | undefined): void {
    this.#options.onRelease(this, version);
  }
}

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

const printedOf = ({ stdout, stderr, limit }: BoxResult, notes: readonly string[]): Printed => ({
  stdout: decoder.decode(stdout),
  stderr: [
    decoder.decode(stderr),
    ...(limit === "memory" ? [MEMORY_NOTE] : []),
    ...notes.map((note) => `network: ${note}\n`),
  ].join(""),
});

const MEMORY_NOTE = "The command needed too much memory and was ended.\n";

function endOf({ code, limit }: BoxResult): Pick<EndedCommand, "exitCode" | "isTimedOut"> {
  const isTimedOut = limit === "time";
  return { isTimedOut, exitCode: isTimedOut ? TIMED_OUT : code & 255 };
}

const killReason = (error: ProcessEnded | ListError): KilledCommand["reason"] =>
  error instanceof ProcessEnded && error.outcome === "stopped" ? "stopped" : "failed";

/** tar names it in English: the sandbox has no other language. */
const isFull = ({ stderr }: BoxResult): boolean => decoder.decode(stderr).includes("No space left on device");

/** Parts of a size that the pipe to a program takes at once. */
export function* chunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += MAX_CHUNK_BYTES) {
    yield bytes.subarray(offset, offset + MAX_CHUNK_BYTES);
  }
}
