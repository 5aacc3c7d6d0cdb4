/** The keeper's side of one container: holds its files, and runs programs on them one after the other. */

import type { Clock } from "../../runtime.ts";
import type { RunOutcome } from "../keeper/messages.ts";
import type { ChildEnd } from "../keeper/watched_child.ts";
import { type BoxReply, boxRequestSchema } from "./box_messages.ts";
import { type BoxProgramName, boxPrograms } from "./box_programs.ts";
import { BoxRun, type OnOutput, PIPED, type RunningProgram } from "./box_run.ts";
import type { ContainerMemory } from "./box_watch.ts";
import { boxChain, forwarderChain, holderChain, type HostLayout } from "./chains.ts";
import { findHostLayout } from "./host_layout.ts";
import { Interpreter } from "./interpreter/interpreter.ts";
import { forwarderFiles, ForwarderRun } from "./network/forwarder_run.ts";
import { wallsInput } from "./walls.ts";
import { endHolder } from "./process_tree.ts";
import type { SandboxSessions } from "./sandbox_sessions.ts";
import type * as z from "zod";

type Bytes = Uint8Array<ArrayBuffer>;
type BoxRequest = z.output<typeof boxRequestSchema>;
type StartRequest = Extract<BoxRequest, { type: "start" }>;

interface HolderSessionOptions {
  readonly layout: HostLayout;
  /** User of this container alone, where the keeper is root. */
  readonly uid: number | undefined;
  readonly memoryMib: number;
  /** Shared by all sandboxes. */
  readonly sessions: SandboxSessions;
  readonly clock: Clock;
  /** Gets the frames for the gateway. */
  readonly onFrame: (header: BoxReply, body?: Uint8Array) => Promise<void>;
}

const NO_NETWORK = "the forwarder of a container's network has ended";
const MIB = 1024 * 1024;
const KIB_PER_MIB = 1024;
/** Share of its memory that a container's files may take. */
const FILES_SHARE = 0.5;
/** Files and folders of a container and of its `/tmp`. */
const MAX_ENTRIES = 20_000;

export class HolderSession {
  readonly #options: HolderSessionOptions;
  readonly #holder: Deno.ChildProcess;
  #run: RunningProgram | undefined;
  /** Python that lasts from call to call. */
  #interpreter: Interpreter | undefined;
  /** Stands in the network that commands share; undefined before the first one may connect. */
  #forwarder: ForwarderRun | undefined;
  #ended: RunOutcome | undefined;
  /** Why it was ended, where the system does not say. */
  #fault: string | undefined;
  /** How it ended. */
  readonly result: Promise<ChildEnd>;

  /** Throws when the system does not start it. */
  constructor(options: HolderSessionOptions) {
    this.#options = options;
    const chain = holderChain({ ...options, bytes: this.#bytes, entries: MAX_ENTRIES });
    const [command = "", ...args] = chain;
    this.#holder = new Deno.Command(command, { ...PIPED, args }).spawn();
    this.result = this.#hold();
  }

  /** That its files may take. */
  get #bytes(): number {
    return this.#options.memoryMib * FILES_SHARE * MIB;
  }

  /** Ends it at once, as `outcome`; harmless when it has ended. */
  kill(outcome: RunOutcome): void {
    if (this.#ended !== undefined) return;
    this.#ended = outcome;
    this.#run?.kill();
    this.#forwarder?.kill();
    this.#interpreter?.kill();
    endHolder(this.#holder, this.#options.clock);
  }

  /** Takes a frame of the gateway. */
  send({ header, body }: { readonly header: unknown; readonly body: Bytes }): void {
    const request = boxRequestSchema.safeParse(header).data;
    if (request === undefined || this.#ended !== undefined) return;
    this.#handle(request, body).catch(() => this.kill("failed"));
  }

  async #handle(request: BoxRequest, body: Bytes): Promise<void> {
    if (request.type === "network") {
      this.#forwarder ??= this.#startForwarder();
      return this.#forwarder.send(request.frame, body);
    }
    const run = request.type === "start" ? this.#start(request) : this.#run;
    const isWalls = request.type === "start" && request.program === "walls";
    const input = isWalls ? new TextEncoder().encode(wallsInput(this.#bytes)) : body;
    await run?.write(input, request.isLast);
    if (!request.isLast) await this.#options.onFrame({ type: "taken", request: request.request });
  }

  /** The gateway has waited for the end of the one before. */
  #start(start: StartRequest): RunningProgram {
    const { request } = start;
    const { onFrame } = this.#options;
    const run = start.program === "python" ? this.#callInterpreter(start) : this.#startRun(start);
    this.#run = run;
    run.ended.then((end) => onFrame({ type: "exited", request, ...end })).catch(() => this.kill("failed"));
    return run;
  }

  /** It runs this system's Deno, so its root is this system's. */
  #startForwarder(): ForwarderRun {
    const { layout: { mountPoint }, uid, clock, onFrame } = this.#options;
    const layout = { ...findHostLayout({}), mountPoint };
    const forwarder = new ForwarderRun({
      chain: forwarderChain({ layout, uid, holder: this.#holder.pid, files: forwarderFiles }),
      clock,
      onEvent: (frame, body) => onFrame({ type: "network", frame }, body),
    });
    // Commands would be left without a network, and the gateway without an answer.
    const end = () => {
      if (this.#ended === undefined) this.#fault = NO_NETWORK;
      this.kill("failed");
    };
    forwarder.ended.then(end, end);
    return forwarder;
  }

  #startRun({ request, program, timeMs }: StartRequest): RunningProgram {
    return new BoxRun({
      ...this.#options,
      chain: this.#chain(program),
      program,
      timeMs,
      memory: this.#memory(),
      onOutput: this.#outputOf(request),
    });
  }

  #callInterpreter({ request, program, ...options }: StartRequest): RunningProgram {
    if (this.#interpreter === undefined || this.#interpreter.hasEnded) {
      this.#interpreter = new Interpreter({
        ...this.#options,
        chain: this.#chain(program),
        memory: this.#memory(),
      });
    }
    return this.#interpreter.call({ ...options, onOutput: this.#outputOf(request) });
  }

  #chain(program: BoxProgramName): readonly string[] {
    const { command, sharesNetwork } = boxPrograms[program];
    const networkOf = sharesNetwork ? this.#forwarder?.process : undefined;
    return boxChain({ ...this.#options, holder: this.#holder.pid, program: command, networkOf });
  }

  #memory(): ContainerMemory {
    const { layout, memoryMib } = this.#options;
    return {
      limitKib: memoryMib * KIB_PER_MIB,
      files: `/proc/${this.#holder.pid}/root${layout.mountPoint}`,
      restingKib: () => this.#interpreter?.restingKib ?? 0,
      endResting: () => this.#interpreter?.endResting(),
    };
  }

  #outputOf(request: number): OnOutput {
    return (name, bytes) => this.#options.onFrame({ type: "output", request, name }, bytes);
  }

  async #hold(): Promise<ChildEnd> {
    const [errorText] = await Promise.all([startOf(this.#holder.stderr), this.#awaitReady()]);
    // All that has run on its files has ended by then, but for what had not entered yet.
    const { code } = await this.#holder.status;
    this.#run?.kill();
    this.#forwarder?.kill();
    this.#interpreter?.kill();
    await Promise.allSettled([this.#run?.ended, this.#forwarder?.ended, this.#interpreter?.ended]);
    return { outcome: this.#ended ?? (code === 0 ? "done" : "failed"), errorText: this.#fault ?? errorText };
  }

  /** It says one word once the files are held, and nothing more. */
  async #awaitReady(): Promise<void> {
    for await (const _bytes of this.#holder.stdout) {
      await this.#options.onFrame({ type: "ready" });
      return;
    }
  }
}

const MAX_ERROR_CHARS = 4_096;

async function startOf(stream: ReadableStream<Bytes>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of stream) {
    if (text.length < MAX_ERROR_CHARS) {
      text += decoder.decode(part.subarray(0, MAX_ERROR_CHARS), { stream: true });
    }
  }
  return text;
}
