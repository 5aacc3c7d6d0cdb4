/** One answer: asked for, followed as it comes, stopped, and what it cost. */

import { computed, signal } from "@preact/signals";
import { ApiFailure, ConnectionLost, type ConsoleApi, queryOf } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { readEvents } from "../../event_stream.ts";
import { toError } from "../../resource.ts";
import { itemsOf } from "./items.ts";
import { asJson, isJson, type Json, numberOf, objectOf, parseJson, textOf, textsOf } from "./json.ts";
import { readCharge } from "./charge.ts";
import type { PlayModel } from "./play_models.ts";
import { type RunEnd, RunEvents } from "./run_events.ts";

export type RunState = "waiting" | "answering" | "completed" | "incomplete" | "stopped" | "lost" | "failed";

/** Numbers of an answer that is over; money in USD, times in ms. */
export interface RunFigures {
  readonly cost?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly firstMs?: number;
  readonly totalMs?: number;
}

/** As it is kept in the tab. */
export interface StoredRun {
  readonly model: string;
  readonly state: Exclude<RunState, "waiting" | "answering">;
  readonly output: readonly Json[];
  readonly figures: RunFigures;
  readonly generationId?: string;
  readonly servedModel?: string;
  readonly provider?: string;
  readonly error?: string;
  readonly notes: readonly string[];
}

export interface RunDeps {
  readonly api: Pick<ConsoleApi, "send" | "call" | "events">;
  readonly clock: Clock;
  /** Whether the session may read every receipt. */
  readonly isManager: boolean;
}

interface RunInput {
  readonly model: string;
  readonly body: Json;
  /** The workspace that a manager runs it for. */
  readonly workspaceId: string | undefined;
  /** For the cost while it comes. */
  readonly prices: Partial<Pick<PlayModel, "promptUsd" | "completionUsd">> | undefined;
}

/** Deltas of this time are shown together. */
const FLUSH_MS = 16;
/** The gateway says something every ten seconds at least: after so many ms without a byte nobody is there. */
const SILENT_MS = 30_000;
/** Milliseconds for which events are taken without a pause. */
const TURN_MS = 8;
/** A token is about as many characters. */
const TOKEN_CHARS = 4;

export class Run {
  readonly model: string;
  readonly state = signal<RunState>("waiting");
  readonly figures = signal<RunFigures>({});
  readonly served = signal<{ readonly model?: string; readonly provider?: string }>({});
  readonly error = signal<string | undefined>(undefined);
  /** The refusal's status; undefined where nobody refused. */
  readonly refusedWith = signal<number | undefined>(undefined);
  readonly notes = signal<readonly string[]>([]);
  readonly generationId = signal<string | undefined>(undefined);
  /** About how much has come: tokens and USD. */
  readonly soFar = signal<{ readonly tokens: number; readonly usd: number | undefined }>({
    tokens: 0,
    usd: undefined,
  });
  readonly isOver = computed(() => this.state.value !== "waiting" && this.state.value !== "answering");
  readonly #events: RunEvents;
  readonly #deps: RunDeps | undefined;
  readonly #abort = new AbortController();
  #output: readonly Json[] = [];
  #begunAt = 0;
  #promptTokens = 0;
  #isFlushing = false;
  #isAbandoned = false;
  #isSilent = false;
  #silence: (() => void) | undefined;

  constructor(model: string, deps?: RunDeps) {
    this.model = model;
    this.#deps = deps;
    this.#events = new RunEvents(() => performance.now());
  }

  static restore(stored: StoredRun): Run {
    const run = new Run(stored.model);
    run.#output = stored.output;
    run.state.value = stored.state;
    run.figures.value = stored.figures;
    run.served.value = { model: stored.servedModel, provider: stored.provider };
    run.error.value = stored.error;
    run.notes.value = stored.notes;
    run.generationId.value = stored.generationId;
    run.#events.items.value = itemsOf(stored.output);
    return run;
  }

  store(): StoredRun {
    const { value: state } = this.state;
    const { model: servedModel, provider } = this.served.value;
    return {
      model: this.model,
      state: state === "waiting" || state === "answering" ? "lost" : state,
      output: this.output,
      figures: this.figures.value,
      generationId: this.generationId.value,
      servedModel,
      provider,
      error: this.error.value,
      notes: this.notes.value,
    };
  }

  get items() {
    return this.#events.items;
  }

  /** Items that are complete, as they are sent back. */
  get output(): readonly Json[] {
    return this.#output.length > 0 ? this.#output : this.#events.output;
  }

  /** Resolves when it is over, however it ends. */
  async start(input: RunInput): Promise<void> {
    this.#begunAt = performance.now();
    this.#promptTokens = Math.ceil(JSON.stringify(input.body.input ?? "").length / TOKEN_CHARS);
    try {
      await this.#follow(input);
    } catch (error) {
      this.#events.stop();
      this.#fail(toError(error));
    }
    this.#silence?.();
    this.#note();
    const isCut = this.state.value === "stopped" || this.state.value === "lost";
    if (isCut && !this.#isAbandoned) await this.#readCharge();
  }

  /** The call ends at once; what has come stays, and is charged. */
  stop(): void {
    if (!this.isOver.value) this.#abort.abort();
  }

  /** Ends the call, and nobody asks what it was charged. */
  abandon(): void {
    this.#isAbandoned = true;
    this.stop();
  }

  /** Bytes have come, if only a comment: the next ones are awaited for a while. */
  #hear(): void {
    this.#silence?.();
    this.#silence = this.#required().clock.after(SILENT_MS, () => {
      this.#isSilent = true;
      this.#abort.abort();
    });
  }

  async #follow(input: RunInput): Promise<void> {
    const { api } = this.#required();
    const address = `/console/api/playground/responses${queryOf({ workspace_id: input.workspaceId })}`;
    const response = await api.send("POST", address, {
      body: { ...input.body, stream: true },
      headers: { "x-service-metadata": "enabled" },
      signal: this.#abort.signal,
    });
    this.generationId.value = response.headers.get("x-generation-id") ?? undefined;
    if (response.body === null) throw new Error("The answer has no body.");
    this.state.value = "answering";
    const end = await this.#readAnswer(response.body, input);
    if (end === undefined) throw new ConnectionLost("The answer broke off.");
    this.#end(end);
  }

  /** The last word of an answer; undefined where none came. */
  async #readAnswer(body: ReadableStream<Uint8Array>, input: RunInput): Promise<RunEnd | undefined> {
    const { clock } = this.#required();
    let end: RunEnd | undefined;
    let turnFrom = performance.now();
    try {
      for await (const { data } of readEvents(body, () => this.#hear())) {
        const event = parseJson(data);
        if (!isJson(event)) continue;
        end = this.#events.take(event) ?? end;
        this.#flushSoon(input);
        if (performance.now() - turnFrom < TURN_MS) continue;
        // What has come already is there at once: the page is drawn in between.
        await new Promise<void>((resolve) => clock.after(0, resolve));
        turnFrom = performance.now();
      }
    } catch (error) {
      // Behind the last word nothing is missed.
      if (end === undefined) throw error;
    }
    return end;
  }

  #flushSoon(input: RunInput): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#required().clock.after(FLUSH_MS, () => {
      this.#isFlushing = false;
      if (this.isOver.value) return;
      this.#events.flush();
      this.#note();
      this.soFar.value = this.#estimate(input);
    });
  }

  #estimate({ prices: { promptUsd, completionUsd } = {} }: RunInput) {
    const tokens = Math.ceil(this.#events.characters / TOKEN_CHARS);
    const isPriced = promptUsd !== undefined && completionUsd !== undefined;
    return { tokens, usd: isPriced ? this.#promptTokens * promptUsd + tokens * completionUsd : undefined };
  }

  /** Times as far as they are known. */
  #note(): void {
    const { firstAt } = this.#events;
    this.figures.value = {
      ...this.figures.value,
      firstMs: firstAt === undefined ? undefined : firstAt - this.#begunAt,
      totalMs: performance.now() - this.#begunAt,
    };
  }

  #end({ status, response, error }: RunEnd): void {
    this.#events.flush();
    const usage = objectOf(response, "usage");
    this.figures.value = {
      ...this.figures.value,
      cost: numberOf(usage, "cost"),
      inputTokens: numberOf(usage, "input_tokens"),
      outputTokens: numberOf(usage, "output_tokens"),
    };
    this.served.value = { model: textOf(response, "model"), provider: providerOf(response) };
    this.notes.value = textsOf(response, "notes");
    this.error.value = error;
    this.state.value = status;
  }

  #fail(error: Error): void {
    if (this.#abort.signal.aborted && !this.#isSilent) {
      this.state.value = "stopped";
      return;
    }
    // What a body ends with that breaks off is a TypeError.
    const isLost = this.#isSilent || error instanceof ConnectionLost || error instanceof TypeError;
    if (isLost) this.#required().api.events.lost();
    this.state.value = isLost ? "lost" : "failed";
    this.error.value = error.message;
    if (!(error instanceof ApiFailure)) return;
    this.refusedWith.value = error.status;
    // A refusal has a receipt, too, which is found by the id of its request.
    this.generationId.value = error.requestId;
  }

  async #readCharge(): Promise<void> {
    const id = this.generationId.value;
    if (id === undefined) return;
    const charge = await readCharge(this.#required(), id);
    if (charge !== undefined) this.figures.value = { ...this.figures.value, ...charge };
  }

  #required(): RunDeps {
    if (this.#deps === undefined) throw new Error("Cannot run: this answer is one of before");
    return this.#deps;
  }
}

/** The provider that answered. */
function providerOf(response: Json): string | undefined {
  const { available } = asJson(objectOf(response, "service_metadata").endpoints);
  const chosen = Array.isArray(available)
    ? available.find((one) => asJson(one).selected === true)
    : undefined;
  return textOf(asJson(chosen), "provider");
}
