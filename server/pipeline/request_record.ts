/** The record of a request's way: written by the stages, read by the routing metadata and the receipt. */

import type { Charge } from "../billing/pricing/charge.ts";
import type { Usage } from "../protocols/canonical/usage.ts";
import type { RateStanding } from "../../shared/rate_limits.ts";
import type { RouteInput } from "../../shared/receipts.ts";
import type { FilterResult } from "../../shared/guardrails.ts";
import type { TaskType } from "../../shared/task_types.ts";
import type { Failure, FinishReason } from "../protocols/canonical/event.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { RouteStrategy } from "./routing/routers/router_slugs.ts";

/** One call of one endpoint, for the routing metadata and the receipt. */
export interface AttemptRecord {
  readonly endpoint: Endpoint;
  /** The provider's status; 0 when it gave none. */
  readonly status: number;
  readonly code?: string;
  /** When it was sent, monotonic ms. */
  readonly sentAt: number;
  /** Milliseconds until the answer began or the attempt failed. */
  readonly latencyMs: number;
}

/** A stage that acted, as the routing metadata shows it (specification, openrouter_metadata). */
export interface StageRecord {
  readonly type: string;
  readonly name: string;
  readonly guardrail_id?: string;
  readonly guardrail_scope?: string;
  readonly summary?: string;
  /** USD. */
  readonly cost_usd?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The cost of one call, once it is over. */
export interface CallCost {
  /** Absent for what a server tool has bought elsewhere: `service` says where. */
  readonly endpoint?: Endpoint;
  readonly service?: string;
  /** As the provider counted, else as the gateway did (`estimated`). */
  readonly usage: Usage;
  /** At the provider's prices, anyone who pays for it. */
  readonly charge: Charge;
  /** The provider's name for its answer. */
  readonly upstreamId?: string;
  /** Absent for a call that broke off. */
  readonly finishReason?: FinishReason;
  /** As served, else as asked. */
  readonly serviceTier?: string;
}

/** An endpoint that was not asked, and the word for why (specification, Availability detail, `excluded_by`). */
export interface SkippedEndpoint {
  readonly endpoint: Endpoint;
  readonly reason: string;
}

/** A turn of a model that a tool runs. */
export type RunPurpose = "fusion:panel" | "fusion:analysis" | "advisor:answer" | "subagent:task";

/**
 * `model`: a turn of the model that answers. `tool:…`: a server tool, and the model that it asks. `plugin:…`: a plugin,
 * by its id. The rest: a turn of a model that a tool runs.
 */
export type CallPurpose =
  | "model"
  | `tool:${string}`
  | `plugin:${string}`
  | RunPurpose;

type CallStatus = "completed" | "incomplete" | "failed" | "cancelled";

interface CallRecordOptions {
  /** The turn of the model to which the call belongs, from 1. */
  readonly step: number;
  readonly purpose: CallPurpose;
  /** Monotonic ms. */
  readonly startedAt?: number;
}

interface CallEnd {
  readonly status: CallStatus;
  /** Monotonic ms. */
  readonly at: number;
}

/** The record of one call. Most requests are one call; server tools make more, some of them at the same time. */
export class CallRecord {
  readonly step: number;
  readonly purpose: CallPurpose;
  readonly startedAt: number | undefined;
  readonly attempts: AttemptRecord[] = [];
  /** Calls that were sent once more to the same endpoint: a kept connection had ended, or the prompt was too long. */
  resends = 0;
  /** Parameters that the chosen target could not express. */
  readonly dropped: string[] = [];
  /** Endpoints that could serve the request, in the order of preference. */
  candidates: readonly Endpoint[] = [];
  /** Endpoints of the named models that were not asked. */
  skipped?: readonly SkippedEndpoint[];
  /** How the order came about, for the metadata's `params`. */
  routingParams?: () => Readonly<Record<string, unknown>>;
  /** Makes the input of routing, for the receipt. */
  routeInput?: () => RouteInput;
  strategy: RouteStrategy = "direct";
  /** One for each call of an endpoint that cost something, or was answered. */
  readonly callCosts: CallCost[] = [];
  /** The cap that was sent because a limit demanded a lower one than requested. */
  loweredMaxTokens?: number;
  /** Commands that a server tool has run in a container. */
  commandUse?: { readonly commands: number; readonly seconds: number };
  /** Ends the call while it is under way. */
  abort?: (failure: Failure) => void;
  /** Resolves when a call that was aborted has been settled: its tokens may have to be counted first. */
  // deno-lint-ignore tollgate/kept-promises -- of one call, which settles once
  settling?: Promise<void>;
  #end: CallEnd | undefined;

  constructor({ step, purpose, startedAt }: CallRecordOptions) {
    this.step = step;
    this.purpose = purpose;
    this.startedAt = startedAt;
  }

  /** Names of what was dropped, as the client reads them. */
  get leftOut(): readonly string[] {
    return this.purpose === "model" ? this.dropped : this.dropped.map((name) => `${this.purpose}: ${name}`);
  }

  /** Undefined while the call is under way. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  /** The call is over: nothing of it is kept but what the receipt tells. */
  finish(end: CallEnd): void {
    this.#end = end;
    this.abort = undefined;
    if (this.purpose !== "model") this.forgetPlan();
  }

  /** Lets go of what only the routing metadata of the latest turn, and of a first one its receipt, tell. */
  forgetPlan(): void {
    this.skipped = undefined;
    this.routingParams = undefined;
    if (this.routeInput === undefined) return;
    const input = this.routeInput();
    this.routeInput = () => input;
  }
}

const noTools: ReadonlySet<string> = new Set();

/** The record of a request: what its calls have noted, one after the other, and what is known of it as a whole. */
export class RequestRecord {
  /** The call with which the request begins. */
  readonly first = new CallRecord({ step: 1, purpose: "model" });
  readonly #calls: CallRecord[] = [this.first];
  readonly #stages: StageRecord[] = [];
  /** How often the model called server tools, and how often they ran. */
  readonly toolUse = { requested: 0, executed: 0 };
  /** Kinds of server tools that the gateway runs for the request. */
  plannedTools: ReadonlySet<string> = noTools;
  /** Sentences for the client on what its latest call leaves out. */
  callNotes: readonly string[] = [];
  /** Slug of the router that chose the model; absent where the request named it. */
  router?: string;
  /** Kind of task that the request is for, once somebody asked. */
  task?: TaskType;
  /** Results of content filters; absent where nothing matched. */
  filterResults?: () => readonly FilterResult[];
  /** How the tightest rate limit stands now; absent where there is none. */
  rateLimitStanding?: () => RateStanding;
  /** A turn is over and paid: what it made is given to the client, also where a later turn fails. */
  keepsOutput = false;
  /** The generation whose receipt tells of the request, once it is made: its own, or one that API errors share. */
  receiptId?: string;
  /** Work under way that the receipt waits for. */
  #work: Set<Promise<void>> | undefined;
  /** The turn of the model that still has its plan, beside the one that begins. */
  #planned = this.first;
  #abortReason: Failure | undefined;
  readonly #notes: string[] = [];

  get calls(): readonly CallRecord[] {
    return this.#calls;
  }

  /** Stages that acted, in the order in which they did. */
  get stages(): readonly StageRecord[] {
    return this.#stages;
  }

  /** Notes that a stage, or a plugin, acted: one that changed nothing is not noted. It may stand in for an earlier one. */
  addStage(stage: StageRecord, before?: StageRecord): void {
    const position = before === undefined ? -1 : this.#stages.indexOf(before);
    if (position === -1) this.#stages.push(stage);
    else this.#stages[position] = stage;
  }

  /** Sentences for the client: why plugins did not act, and what its latest call leaves out. */
  get notes(): readonly string[] {
    return this.#notes.length === 0 ? this.callNotes : [...this.#notes, ...this.callNotes];
  }

  /** Tells the client a sentence, once. Headers carry printable ASCII alone. */
  addNote(note: string): void {
    const written = note.replace(/[^ -~]/g, "?");
    if (!this.#notes.includes(written)) this.#notes.push(written);
  }

  openCall(options: CallRecordOptions): CallRecord {
    const call = new CallRecord(options);
    if (options.purpose === "model") this.#forgetPlans();
    this.#calls.push(call);
    return call;
  }

  /** Only the latest turn that has a plan keeps it: loops may have hundreds. */
  #forgetPlans(): void {
    const { lastTurn } = this;
    if (lastTurn === this.#planned) return;
    this.#planned.forgetPlan();
    this.#planned = lastTurn;
  }

  get attempts(): readonly AttemptRecord[] {
    return this.#all((call) => call.attempts);
  }

  get callCosts(): readonly CallCost[] {
    return this.#all((call) => call.callCosts);
  }

  /** Each once. What calls of the gateway's own leave out stands behind their purpose: the client has not asked for it. */
  get dropped(): readonly string[] {
    if (this.#calls.length === 1 && this.first.dropped.length < 2) return this.first.dropped;
    return [...new Set(this.#all(({ leftOut }) => leftOut))];
  }

  /** Call of the turn that the model answered last. */
  get lastTurn(): CallRecord {
    return this.#calls.findLast(({ purpose, candidates }) => purpose === "model" && candidates.length > 0) ??
      this.first;
  }

  /** The lowest cap of a turn of the model that answers. */
  get loweredMaxTokens(): number | undefined {
    const turns = this.#calls.filter(({ purpose }) => purpose === "model");
    const lowest = Math.min(...turns.flatMap((call) => call.loweredMaxTokens ?? []));
    return lowest === Infinity ? undefined : lowest;
  }

  /** Milliseconds that passed while an upstream was being waited for, waits at the same time once. */
  get upstreamMs(): number {
    const waits = this.attempts.toSorted((one, other) => one.sentAt - other.sentAt);
    let until = -Infinity;
    let sum = 0;
    for (const { sentAt, latencyMs } of waits) {
      const end = sentAt + latencyMs;
      if (end <= until) continue;
      sum += end - Math.max(sentAt, until);
      until = end;
    }
    return sum;
  }

  /** The receipt waits until this has ended: a call may still have to find out that the request is over. */
  holdReceipt(work: Promise<unknown>): void {
    const pending = this.#work ??= new Set();
    const end = () => void pending.delete(ended);
    const ended: Promise<void> = work.then(end, end);
    pending.add(ended);
  }

  /** Resolves when everything is settled that the receipt waits for; undefined where that is nothing. */
  get settling(): Promise<unknown> | undefined {
    if (this.#work === undefined && this.#calls.length === 1) return this.first.settling;
    const pending = [...this.#work ?? [], ...this.#calls.map((call) => call.settling)];
    return pending.every((one) => one === undefined) ? undefined : Promise.all(pending);
  }

  /** Why the gateway itself ended the request: its key was disabled, its money cannot be counted any more. */
  get abortReason(): Failure | undefined {
    return this.#abortReason;
  }

  /** Ends every call that is under way. */
  abort(failure: Failure): void {
    this.#abortReason = failure;
    for (const call of this.#calls) call.abort?.(failure);
  }

  #all<T>(of: (call: CallRecord) => readonly T[]): readonly T[] {
    return this.#calls.length === 1 ? of(this.first) : this.#calls.flatMap(of);
  }
}
