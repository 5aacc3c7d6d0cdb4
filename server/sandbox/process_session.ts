/** The gateway's side of one process: asks it one thing after another, and knows when it has ended. */

import type { Keeper } from "../keeper/keeper.ts";
import type { RunOutcome } from "../keeper/messages.ts";
import { type CallName, type ProcessReply, processReplySchema } from "./messages.ts";
import { decodePack } from "./pack.ts";

export interface ProcessSessionOptions {
  readonly keeper: Pick<Keeper, "open">;
  readonly memoryMib: number;
}

export interface ProcessRequest {
  readonly type: "load" | "run" | "read";
  readonly body: Uint8Array;
  readonly timeMs: number;
  /** Answers what the process asks meanwhile; absent: it may ask nothing. */
  readonly onCall?: (name: CallName, value: unknown) => Promise<Uint8Array>;
}

export interface ProcessResponse {
  readonly type: Exclude<ProcessReply["type"], "call">;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** What a process may ask in one request: packages come in hundreds of parts. */
const MAX_CALLS = 1_000;
const MAX_CALL_BYTES = 64 * 1024;

/** Rejects what is waited for when the process ends. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded";
  readonly outcome: RunOutcome;

  constructor(outcome: RunOutcome, detail?: string) {
    super(detail ?? `The process has ended: ${outcome}`);
    this.outcome = outcome;
  }
}

export class ProcessSession {
  readonly #session: ReturnType<Keeper["open"]>;
  #waiting: PromiseWithResolvers<ProcessResponse> | undefined;
  #onCall: ProcessRequest["onCall"];
  /** Of the request that runs. */
  #calls = 0;
  #killedAs: "stopped" | "failed" | undefined;
  /** Why it has ended. */
  #end: ProcessEnded | undefined;
  /** Resolves once it can be used. Rejects with ProcessEnded. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;

  /** Throws KeeperUnavailable. */
  constructor({ keeper, memoryMib }: ProcessSessionOptions) {
    const ready = this.#wait();
    this.ready = ready.then(({ type }) => this.#expect(type, "ready"));
    this.ready.catch(() => {
      // Callers that do not wait for it hear of its end otherwise.
    });
    this.#session = keeper.open("sandbox", {
      memoryMib,
      onFrame: ({ header, body }) => this.#take(header, body),
    });
    this.ended = this.#session.ended.then(
      ({ outcome, detail }) => this.#finish(new ProcessEnded(this.#killedAs ?? outcome, detail)),
      (error: unknown) => this.#finish(new ProcessEnded("stopped", String(error))),
    );
  }

  /** Or will in a moment. */
  get hasEnded(): boolean {
    return this.#end !== undefined || this.#killedAs !== undefined;
  }

  /** Rejects with ProcessEnded. */
  async request({ type, body, timeMs, onCall }: ProcessRequest): Promise<ProcessResponse> {
    if (this.#end !== undefined) throw this.#end;
    this.#onCall = onCall;
    this.#calls = 0;
    const response = this.#wait();
    this.#session.send({ header: { type }, body, timeMs });
    return await response;
  }

  /** `failed`: it says what it was not asked, because it is broken or was taken over. */
  kill(outcome: "stopped" | "failed" = "stopped"): void {
    this.#killedAs ??= outcome;
    this.#session.kill();
  }

  #wait(): Promise<ProcessResponse> {
    const waiting = Promise.withResolvers<ProcessResponse>();
    this.#waiting = waiting;
    return waiting.promise;
  }

  #take(header: unknown, body: Uint8Array<ArrayBuffer>): void {
    const reply = processReplySchema.safeParse(header);
    if (!reply.success || this.#waiting === undefined) return this.kill("failed");
    if (reply.data.type === "call") return this.#answer(reply.data, body);
    this.#onCall = undefined;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ type: reply.data.type, body });
  }

  #answer({ id, name }: Extract<ProcessReply, { type: "call" }>, body: Uint8Array<ArrayBuffer>): void {
    const onCall = this.#onCall;
    const isAllowed = ++this.#calls <= MAX_CALLS && body.length <= MAX_CALL_BYTES;
    if (onCall === undefined || !isAllowed) return this.kill("failed");
    Promise.try(() => onCall(name, decodePack(body).value)).then(
      (answer) => this.#session.send({ header: { type: "answer", id }, body: answer }),
      () => this.kill("failed"),
    );
  }

  #expect(type: ProcessResponse["type"], expected: ProcessResponse["type"]): void {
    if (type !== expected) this.kill("failed");
  }

  #finish(end: ProcessEnded): void {
    this.#end = end;
    this.#waiting?.reject(end);
    this.#waiting = undefined;
  }
}
