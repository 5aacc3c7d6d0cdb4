/** The content filters of one request: reads its texts, says what was found, and stops what must not go on. */

import { ApiError } from "../../../shared/errors.ts";
import type { FilterSide } from "../../../shared/guardrails.ts";
import type { OutputEvent } from "../../canonical/event.ts";
import { failureOf } from "../../pipeline/api_failure.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { addUsage, type Usage } from "../../canonical/usage.ts";
import type { ActiveFilter, ContentFilters, FilterView } from "../../guardrails/content_filters.ts";
import { type CleanRequest, readCleanRequest } from "../../guardrails/clean_request.ts";
import { type RequestReader, scanRequest, type TextPlace } from "../../guardrails/scan_request.ts";
import { scanArguments, scanText, scanValue, textsIn } from "../../guardrails/scan_text.ts";
import {
  BlockedContent,
  INPUT_WINDOW,
  OUTPUT_WINDOW,
  type ScanOptions,
  type Work,
} from "../../guardrails/text_scanner.ts";
import type { ModelResponse, RequestContext } from "../../pipeline/request_context.ts";
import type { RequestGuard } from "../../pipeline/request_guard.ts";
import { type RunDeps, runWork } from "../../guardrails/run_work.ts";
import type { Logger } from "../../runtime.ts";
import { prepend, type Source } from "../../stream/source.ts";
import type { FilterFindings } from "./filter_findings.ts";
import { ResponseScanner } from "./response_scanner.ts";

export interface ContentGuardDeps extends RunDeps {
  readonly log: Pick<Logger, "error">;
}

export interface ContentGuardOptions {
  readonly filters: ContentFilters;
  /** Where what they find is noted. */
  readonly findings: FilterFindings;
}

/** Between two log lines that texts cannot be read. */
const LOG_MS = 60_000;

/** When it was last logged that texts cannot be read. */
const logged = { at: -Infinity };

export class ContentGuard implements RequestGuard {
  readonly #deps: ContentGuardDeps;
  readonly #filters: ContentFilters;
  readonly #findings: FilterFindings;
  /** What was read of a request, and what came of it. */
  readonly #known = new WeakMap<object, unknown>();
  /** What the request has become: it is sent as it is unless something is added. */
  #lastRead: ModelRequest | undefined;
  /** Texts that were read on their way up, and go down again with the next turn. */
  readonly #texts = new Set<string>();

  constructor(deps: ContentGuardDeps, { filters, findings }: ContentGuardOptions) {
    this.#deps = deps;
    this.#filters = filters;
    this.#findings = findings;
  }

  readRequest(request: ModelRequest): ModelRequest | Promise<ModelRequest> {
    if (request === this.#lastRead || this.#isClean(request)) return this.#lastRead = request;
    const scanned = this.#run("input", scanRequest(request, this.#requestReader));
    if (scanned instanceof Promise) return scanned.then((read) => this.#lastRead = read);
    return this.#lastRead = scanned;
  }

  #isClean(request: ModelRequest): boolean {
    const isKnown = (value: object) => this.#known.has(value);
    let clean: CleanRequest | undefined;
    try {
      clean = readCleanRequest(request, { view: this.#filters.users, isKnown });
    } catch {
      // A filter that fails does so again when each text is read, and is dealt with there.
      return false;
    }
    if (clean === undefined) return false;
    this.#findings.count(clean);
    for (const value of [...request.input, ...request.tools]) this.#known.set(value, value);
    return true;
  }

  async readResponse(response: ModelResponse, context: RequestContext): Promise<ModelResponse> {
    const { source, endpoint } = response;
    if (context.request.speech !== undefined || this.#filters.others.filters.length === 0) return response;
    const scanner = new ResponseScanner({
      ...this.#optionsFor(this.#filters.others, "output"),
      read: (text) => this.#findings.countBytes(text),
      remember: (text) => this.#texts.add(text),
      skip: () => this.#findings.countUnscanned(),
    });
    const guarded = new GuardedSource({ source, read: (batch) => this.#run("output", scanner.scan(batch)) });
    const first: (readonly OutputEvent[])[] = [];
    try {
      for (let begun = !this.#filters.others.isEnforced; !begun;) {
        const batch = await guarded.pullScanned();
        if (batch === undefined) break;
        first.push(batch);
        begun = batch.some(({ type }) => type !== "begin" && type !== "item");
      }
    } catch (error) {
      await cancelAndSettle(source, context);
      throw error;
    }
    const failure = (error: unknown) => this.#failure(error, { source, context });
    const pull = () => guarded.pullScanned().catch(failure);
    return { endpoint, source: prepend(first, { pull, cancel: (reason) => source.cancel(reason) }) };
  }

  readToolOutput<T>(value: T): T | Promise<T> {
    const options = this.#optionsFor(this.#filters.others, "output");
    const remember = (scanned: T) => {
      for (const text of textsIn(scanned)) this.#texts.add(text);
      return scanned;
    };
    const scanned = this.#run("output", scanCounted(value, options, this.#findings));
    return scanned instanceof Promise ? scanned.then(remember) : remember(scanned);
  }

  /** The end of a response of which something is out already. */
  async #failure(error: unknown, { source, context }: OpenResponse): Promise<readonly OutputEvent[]> {
    const usage = await cancelAndSettle(source, context);
    if (!(error instanceof ApiError)) throw error;
    return [{ type: "failure", failure: failureOf(error), usage }];
  }

  #optionsFor(view: FilterView, side: FilterSide): ScanOptions {
    const report = (filter: ActiveFilter) => this.#findings.add(filter, side);
    return { view, report, window: side === "input" ? INPUT_WINDOW : OUTPUT_WINDOW };
  }

  get #requestReader(): RequestReader {
    const users = this.#optionsFor(this.#filters.users, "input");
    const others = this.#optionsFor(this.#filters.others, "input");
    const optionsAt = ({ isUsers }: TextPlace) => isUsers ? users : others;
    const isKnown = (text: string, { isUsers }: TextPlace) => !isUsers && this.#texts.has(text);
    const { countBytes } = this.#findings;
    return {
      *text(text, place) {
        if (isKnown(text, place)) return text;
        countBytes(text);
        return yield* scanText(text, optionsAt(place));
      },
      *arguments(text, place) {
        if (isKnown(text, place)) return text;
        countBytes(text);
        return yield* scanArguments(text, optionsAt(place));
      },
      *value(value, place) {
        return value === undefined ? value : yield* scanValue(value, optionsAt(place));
      },
      skip: () => this.#findings.countUnscanned(),
      known: (value) => toSameKind(this.#known.get(value)),
      remember: (value, scanned) => {
        this.#known.set(value, scanned);
        this.#known.set(scanned, scanned);
      },
      rememberText: (scanned) => this.#texts.add(scanned),
    };
  }

  /** Throws an ApiError, or rejects with it. */
  #run<T>(side: FilterSide, work: Work<T>): T | Promise<T> {
    try {
      const done = runWork(work, this.#deps);
      if (!(done instanceof Promise)) return done;
      return done.catch((error) => {
        throw this.#errorOf(side, error);
      }).finally(() => this.#findings.writeStages());
    } catch (error) {
      throw this.#errorOf(side, error);
    } finally {
      this.#findings.writeStages();
    }
  }

  /** A filter that fails blocks: nobody knows what it would have found. */
  #errorOf(side: FilterSide, error: unknown): ApiError {
    const subject = side === "input" ? "request" : "response";
    if (error instanceof BlockedContent) {
      const { patterns, guardrailId } = this.#findings.blocked(side);
      return new ApiError("blocked", `A guardrail blocked the ${subject}: it matches a content filter.`, {
        metadata: { patterns, guardrail_id: guardrailId },
      });
    }
    const { clock, log } = this.#deps;
    if (clock.monotonic() - logged.at >= LOG_MS) {
      logged.at = clock.monotonic();
      log.error("Cannot apply content filters", { error: error instanceof Error ? error.name : "unknown" });
    }
    const guardrailId = this.#findings.failed(this.#filters);
    return new ApiError("blocked", `A guardrail blocked the ${subject}: it could not be judged.`, {
      metadata: { patterns: [], guardrail_id: guardrailId },
    });
  }
}

interface OpenResponse {
  readonly source: Source<OutputEvent>;
  readonly context: RequestContext;
}

/** The provider is no longer needed; what it has produced is charged. The usage of the call, once it is known. */
async function cancelAndSettle(
  source: Source<OutputEvent>,
  { call }: RequestContext,
): Promise<Usage | undefined> {
  source.cancel("A guardrail blocked the response.");
  await call.settling;
  return call.callCosts.map(({ usage }) => usage).reduce<Usage | undefined>(addUsage, undefined);
}

/** What is remembered of a value is such a value. */
const toSameKind = <T>(known: unknown): T | undefined => known as T | undefined;

function* scanCounted<T>(value: T, options: ScanOptions, findings: FilterFindings): Work<T> {
  for (const text of textsIn(value)) findings.countBytes(text);
  return yield* scanValue(value, options);
}

interface GuardedSourceOptions {
  readonly source: Source<OutputEvent>;
  readonly read: (batch: readonly OutputEvent[]) => OutputEvent[] | Promise<OutputEvent[]>;
}

/** A response's batches, read. Nothing comes behind its end. */
class GuardedSource {
  readonly #options: GuardedSourceOptions;
  #isOver = false;

  constructor(options: GuardedSourceOptions) {
    this.#options = options;
  }

  /** Batches of which everything is held back are passed over. Rejects with an ApiError. */
  async pullScanned(): Promise<readonly OutputEvent[] | undefined> {
    const { source, read } = this.#options;
    while (!this.#isOver) {
      const batch = await source.pull();
      if (batch === undefined) break;
      let scanned: readonly OutputEvent[];
      try {
        scanned = await read(batch);
      } catch (error) {
        this.#isOver = true;
        throw error;
      }
      this.#isOver = batch.some(({ type }) => type === "finish" || type === "failure");
      if (scanned.length > 0) return scanned;
    }
    return undefined;
  }
}
