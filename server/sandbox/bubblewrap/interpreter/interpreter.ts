/**
 * Python of a container that stays from call to call, in a sandbox of its own. Between calls all of its processes are
 * stopped: what a call has left running takes no time, and changes no files, until the next one.
 */

import type { Clock } from "../../../runtime.ts";
import { FrameReader, FrameWriter, streamReader } from "../../keeper/frames.ts";
import { CutOutput } from "../box_output.ts";
import { ERROR_BYTES, startBox } from "../box_run.ts";
import type { ContainerMemory } from "../box_watch.ts";
import { InterpreterCall, type InterpreterCallOptions } from "./interpreter_call.ts";
import {
  type InterpreterReply,
  interpreterReplySchema,
  type InterpreterRequest,
} from "./interpreter_program.ts";
import { continueTree, endSandbox, firstProcess, stopTree, treeUsage } from "../process_tree.ts";
import type { SandboxSessions } from "../sandbox_sessions.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface InterpreterOptions {
  readonly chain: readonly string[];
  readonly memory: ContainerMemory;
  readonly sessions: SandboxSessions;
  readonly clock: Clock;
}

type CallOptions = Pick<InterpreterCallOptions, "timeMs" | "stateBytes" | "onOutput">;

const REST_BYTES = 64 * 1024;

export class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #child: Deno.ChildProcess;
  #requests: FrameWriter | undefined;
  #call: InterpreterCall | undefined;
  #restingKib = 0;
  /** It takes no more calls. */
  hasEnded = false;
  readonly ended: Promise<void>;

  /** Throws where the system does not start it. */
  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.#child = startBox(options.chain);
    this.ended = this.#run();
  }

  /** Memory that it takes while it rests. */
  get restingKib(): number {
    return this.hasEnded ? 0 : this.#restingKib;
  }

  /** Runs code; the call before has ended. */
  call(options: CallOptions): InterpreterCall {
    const isNew = this.#requests === undefined;
    const first = firstProcess(this.#child.pid);
    if (!isNew && first !== undefined) continueTree(first);
    this.#restingKib = 0;
    const call = new InterpreterCall({
      ...this.#options,
      ...options,
      isNew,
      bwrap: this.#child.pid,
      send: (request, body) => this.#send(request, body),
      begin: (state) => this.#begin(state),
      kill: () => this.kill(),
    });
    this.#call = call;
    return call;
  }

  /** Ends it where nobody waits for it. */
  endResting(): void {
    if (this.#call === undefined) this.kill();
  }

  kill(): void {
    this.hasEnded = true;
    endSandbox(this.#child, this.#options.clock);
  }

  /** Hands it the state of the shell, where it has none yet. */
  async #begin(state: Bytes): Promise<void> {
    if (this.#requests !== undefined) return;
    const writer = this.#child.stdin.getWriter();
    const written = writer.write(state);
    writer.releaseLock();
    this.#requests = new FrameWriter(this.#child.stdin);
    await written;
  }

  async #send(request: InterpreterRequest, body?: Bytes): Promise<void> {
    await this.#requests?.write(request, body);
  }

  async #run(): Promise<void> {
    const errors = new CutOutput(ERROR_BYTES);
    const [{ code }] = await Promise.all([this.#child.status, this.#listen(), this.#readErrors(errors)]);
    this.hasEnded = true;
    await this.#requests?.close();
    const call = this.#call;
    this.#call = undefined;
    // The words of what has kept it from its beginning.
    call?.add("stderr", new Uint8Array(errors.bytes));
    await call?.finish(code);
  }

  async #readErrors(errors: CutOutput): Promise<void> {
    for await (const chunk of this.#child.stderr) errors.add(chunk);
  }

  async #listen(): Promise<void> {
    const read = streamReader(this.#child.stdout);
    const replies = new FrameReader(read);
    try {
      for (let frame = await replies.next(); frame !== undefined; frame = await replies.next()) {
        await this.#take(interpreterReplySchema.parse(frame.header), frame.body);
      }
    } catch (_error) {
      // Its code has taken over who speaks for it, and gains nothing.
      this.kill();
      const rest = new Uint8Array(REST_BYTES);
      while (await read(rest) !== null);
    }
  }

  /** Takes a reply; one that comes while nobody has called it is nobody's. */
  async #take(reply: InterpreterReply, body: Bytes): Promise<void> {
    const call = this.#call;
    if (call === undefined) return;
    if (reply.type !== "done") return call.add(reply.type, body);
    // With the end of its processes the call ends.
    if (!reply.isAlive) return call.crashed(reply.code);
    this.#call = undefined;
    this.#rest();
    await call.finish(reply.code);
  }

  #rest(): void {
    const first = firstProcess(this.#child.pid);
    if (first === undefined) return;
    if (!stopTree(first)) return this.kill();
    this.#restingKib = treeUsage(first).memoryKib;
  }
}
