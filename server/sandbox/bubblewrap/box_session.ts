/** The gateway's side of a container's files, held by the keeper: runs one program on them after the other. */

import type { Keeper } from "../keeper/keeper.ts";
import { ProcessEnded } from "../process_session.ts";
import { type BoxEnd, type BoxReply, boxReplySchema } from "./box_messages.ts";
import { type BoxProgramName, boxPrograms } from "./box_programs.ts";
import { BoxNetwork } from "./network/box_network.ts";

interface BoxSessionOptions {
  readonly keeper: Pick<Keeper, "open">;
  readonly memoryMib: number;
}

interface BoxInput {
  readonly program: BoxProgramName;
  /** Standard input, in parts of a size that the pipe takes at once. */
  readonly parts: Iterable<Uint8Array>;
  /** Milliseconds of the processor; four times as many by the clock. */
  readonly timeMs: number;
  /** Bytes at the beginning of the input that an interpreter begins with; absent: none. */
  readonly stateBytes?: number;
}

export interface BoxResult extends BoxEnd {
  readonly stdout: Uint8Array<ArrayBuffer>;
  readonly stderr: Uint8Array<ArrayBuffer>;
}

type Bytes = Uint8Array<ArrayBuffer>;

interface PendingRun {
  readonly request: number;
  readonly program: BoxProgramName;
  readonly stdout: Bytes[];
  readonly stderr: Bytes[];
  size: number;
  readonly rest: Iterator<Uint8Array>;
  next: IteratorResult<Uint8Array>;
  readonly done: PromiseWithResolvers<BoxResult>;
}

/** Beyond what each program may print: notes about what is left out, and standard error. */
const MORE_BYTES = 2 * 1024 * 1024;

export class BoxSession {
  readonly #session: ReturnType<Keeper["open"]>;
  /** Connections of the running command, where it may make some. */
  readonly network = new BoxNetwork((frame, body) => {
    this.#session.send({ header: { type: "network", frame }, body });
  });
  readonly #started = Promise.withResolvers<void>();
  #pending: PendingRun | undefined;
  #requests = 0;
  #killedAs: "stopped" | "failed" | undefined;
  #end: ProcessEnded | undefined;
  /** Resolves once it can be used. Rejects with ProcessEnded. */
  readonly ready: Promise<void> = this.#started.promise;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;

  /** Throws KeeperUnavailable. */
  constructor({ keeper, memoryMib }: BoxSessionOptions) {
    this.ready.catch(() => {
      // Callers that do not wait for it hear of its end otherwise.
    });
    this.#session = keeper.open("bubblewrap", {
      memoryMib,
      onFrame: ({ header, body }) => this.#take(boxReplySchema.parse(header), body),
    });
    this.ended = this.#session.ended.then(
      ({ outcome, detail }) => this.#finish(new ProcessEnded(this.#killedAs ?? outcome, { detail })),
      (error: unknown) => this.#finish(new ProcessEnded("stopped", { detail: String(error), cause: error })),
    );
  }

  /** Or will in a moment. */
  get hasEnded(): boolean {
    return this.#end !== undefined || this.#killedAs !== undefined;
  }

  kill(outcome: "stopped" | "failed" = "stopped"): void {
    this.#killedAs ??= outcome;
    this.#session.kill();
  }

  /** Runs a program to its end. Rejects with ProcessEnded where the files are no longer held. */
  async run({ program, parts, timeMs, stateBytes = 0 }: BoxInput): Promise<BoxResult> {
    if (this.#end !== undefined) throw this.#end;
    const rest = parts[Symbol.iterator]();
    const [first, next] = [rest.next(), rest.next()];
    const request = ++this.#requests;
    const done = Promise.withResolvers<BoxResult>();
    this.#pending = { request, program, stdout: [], stderr: [], size: 0, rest, next, done };
    const header = { type: "start", request, program, timeMs, stateBytes, isLast: next.done === true };
    this.#session.send({ header, body: first.value });
    return await done.promise;
  }

  /** Takes nothing from one that was told to end. */
  #take(reply: BoxReply, body: Bytes): void {
    if (this.hasEnded) return;
    if (reply.type === "ready") return this.#started.resolve();
    if (reply.type === "network") return this.#takeNetwork(reply, body);
    const pending = this.#pending;
    if (pending === undefined || pending.request !== reply.request) return;
    if (reply.type === "taken") return this.#sendNext(pending);
    if (reply.type === "output") return this.#keep(pending, { name: reply.name, body });
    this.#pending = undefined;
    const { stdout, stderr, done } = pending;
    const { code, limit, isNew } = reply;
    done.resolve({ code, limit, isNew, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) });
  }

  #takeNetwork({ frame }: Extract<BoxReply, { readonly type: "network" }>, body: Bytes): void {
    try {
      this.network.take(frame, body);
    } catch (_error) {
      // The forwarder makes no sense: it was taken over by what it forwards.
      this.kill("failed");
    }
  }

  #sendNext(pending: PendingRun): void {
    const { request, rest, next: { value, done } } = pending;
    if (done === true) return;
    pending.next = rest.next();
    const header = { type: "input", request, isLast: pending.next.done === true };
    this.#session.send({ header, body: value });
  }

  #keep(
    pending: PendingRun,
    { name, body }: { readonly name: "stdout" | "stderr"; readonly body: Bytes },
  ): void {
    pending.size += body.length;
    if (pending.size > boxPrograms[pending.program].outputBytes + MORE_BYTES) return this.kill("failed");
    pending[name].push(body);
  }

  #finish(end: ProcessEnded): void {
    this.#end = end;
    this.network.fail(end);
    this.#started.reject(end);
    this.#pending?.done.reject(end);
    this.#pending = undefined;
  }
}
