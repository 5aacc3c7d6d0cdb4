/** The gateway's side of one process: asks it one thing after another, and knows when it has ended. */

import type { Keeper } from "./keeper/keeper.ts";
import type { RunOutcome } from "./keeper/messages.ts";
import { type CallName, type ProcessAnswer, type ProcessReply, processReplySchema } from "./messages.ts";
import { decodePack } from "./pack.ts";

interface ProcessSessionOptions {
  readonly keeper: Pick<Keeper, "open">;
  readonly memoryMib: number;
}

interface ProcessRequest {
  readonly type: "load" | "run" | "read";
  readonly body: Uint8Array;
  /** Time limit of the processor, in ms; four times as many by the clock. */
  readonly timeMs: number;
  /** Answers what the process asks meanwhile; absent: it may ask nothing. */
  readonly onCall?: (name: CallName, value: unknown) => Promise<Uint8Array>;
  /** Gets the packs of what the process has printed so far; absent: it may tell nothing. */
  readonly onPrinted?: (pack: Uint8Array<ArrayBuffer>) => void;
}

export interface ProcessResponse {
  readonly type: ProcessAnswer["type"];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Most calls of a process in one request: packages come in hundreds of parts. */
const MAX_CALLS = 1_000;
/** A process tells what it has printed at once at first, and then ten times a second at most. */
const MAX_PRINTED = 20_000;
const MAX_CALL_BYTES = 64 * 1024;

/** Rejects what is waited for when the process ends. */
export class ProcessEnded extends Error {
  override readonly name = "ProcessEnded";
  readonly outcome: RunOutcome;

  constructor(
    outcome: RunOutcome,
    { detail, cause }: { readonly detail?: string; readonly cause?: unknown },
  ) {
    super(detail ?? `The process has ended: ${outcome}`, { cause });
    this.outcome = outcome;
  }
}

export class ProcessSession {
  readonly #session: ReturnType<Keeper["open"]>;
  readonly #started = Promise.withResolvers<void>();
  #hasStarted = false;
  /** Request that it has not answered yet. */
  #pending: PendingRequest | undefined;
  #requests = 0;
  #killedAs: "stopped" | "failed" | undefined;
  /** Why it has ended. */
  #end: ProcessEnded | undefined;
  /** Resolves once it can be used. Rejects with ProcessEnded. */
  readonly ready: Promise<void> = this.#started.promise;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;

  /** Throws KeeperUnavailable; where there comes no keeper later, that is the cause of its end. */
  constructor({ keeper, memoryMib }: ProcessSessionOptions) {
    this.ready.catch(() => {
      // Callers that do not wait for it hear of its end otherwise.
    });
    this.#session = keeper.open("sandbox", {
      memoryMib,
      onFrame: ({ header, body }) => this.#take(header, body),
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

  /** Rejects with ProcessEnded. */
  async request({ type, body, timeMs, onCall, onPrinted }: ProcessRequest): Promise<ProcessResponse> {
    if (this.#end !== undefined) throw this.#end;
    const response = Promise.withResolvers<ProcessResponse>();
    const request = ++this.#requests;
    this.#pending = { request, response, onCall, onPrinted, calls: 0, printed: 0 };
    this.#session.send({ header: { type, request }, body, timeMs });
    return await response.promise;
  }

  /** `failed`: it says what it was not asked, because it is broken or was taken over. */
  kill(outcome: "stopped" | "failed" = "stopped"): void {
    this.#killedAs ??= outcome;
    this.#session.kill();
  }

  /** Also what comes behind the answer of an earlier request ends it. What comes until it has ended is not taken. */
  #take(header: unknown, body: Uint8Array<ArrayBuffer>): void {
    if (this.hasEnded) return;
    const reply = processReplySchema.safeParse(header).data;
    if (reply === undefined) return this.kill("failed");
    if (reply.type === "ready") return this.#start();
    const pending = this.#pending;
    if (pending === undefined || pending.request !== reply.request) return this.kill("failed");
    if (reply.type === "call") return this.#answer(pending, { reply, body });
    if (reply.type === "printed") return this.#print(pending, body);
    this.#pending = undefined;
    pending.response.resolve({ type: reply.type, body });
  }

  #start(): void {
    if (this.#hasStarted) return this.kill("failed");
    this.#hasStarted = true;
    this.#started.resolve();
  }

  #answer(pending: PendingRequest, { reply: { id, name }, body }: ReceivedCall): void {
    const { onCall } = pending;
    const isAllowed = ++pending.calls <= MAX_CALLS && body.length <= MAX_CALL_BYTES;
    if (onCall === undefined || !isAllowed) return this.kill("failed");
    Promise.try(() => onCall(name, decodePack(body).value)).then(
      (answer) => this.#session.send({ header: { type: "answer", id }, body: answer }),
      () => this.kill("failed"),
    );
  }

  #print(pending: PendingRequest, body: Uint8Array<ArrayBuffer>): void {
    const { onPrinted } = pending;
    if (onPrinted === undefined || ++pending.printed > MAX_PRINTED) return this.kill("failed");
    try {
      onPrinted(body);
    } catch (_error) {
      // It makes no sense.
      this.kill("failed");
    }
  }

  #finish(end: ProcessEnded): void {
    this.#end = end;
    this.#started.reject(end);
    this.#pending?.response.reject(end);
    this.#pending = undefined;
  }
}

interface PendingRequest extends Pick<ProcessRequest, "onCall" | "onPrinted"> {
  readonly request: number;
  readonly response: PromiseWithResolvers<ProcessResponse>;
  calls: number;
  printed: number;
}

interface ReceivedCall {
  readonly reply: Extract<ProcessReply, { type: "call" }>;
  readonly body: Uint8Array<ArrayBuffer>;
}
