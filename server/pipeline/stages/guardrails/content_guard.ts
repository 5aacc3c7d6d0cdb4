/** The content filters of one request: reads its texts, says what was found, and stops what must not go on. */

import { isConversation } from "../../../protocols/canonical/request.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { ContentFilters, FilterView } from "../../guardrails/content_filters.ts";
import { areClean } from "../../guardrails/scanners/clean_slots.ts";
import {
  type KnownText,
  readShaped,
  scanSlots,
  scanValue,
  type SlotScanOptions,
} from "../../guardrails/scanners/scan_slots.ts";
import { type RequestPiece, requestPieces, withPieces } from "../../guardrails/text_slots/request_shapes.ts";
import type { ReadValue } from "../../guardrails/text_slots/read_slots.ts";
import {
  type ToolOutput,
  toolOutputShape,
  type ToolSource,
} from "../../guardrails/text_slots/tool_output_shape.ts";
import { writeSlots } from "../../guardrails/text_slots/write_slots.ts";
import { INPUT_WINDOW, OUTPUT_WINDOW } from "../../guardrails/scanners/scan_windows.ts";
import type { ModelResponse, RequestContext } from "../../request_context.ts";
import type { RequestGuard } from "../../request_context.ts";
import { scanText } from "../../guardrails/scanners/scan_text.ts";
import { runBriefly, type RunDeps, runWork, type Work } from "../../../../shared/util/run_work.ts";
import type { Logger } from "../../../runtime.ts";
import type { FilterFindings } from "./filter_findings.ts";
import type { MaskMap } from "../../guardrails/mask_map.ts";
import {
  type GuardedTexts,
  guardError,
  REQUEST,
  RESPONSE,
  resultOf,
  unreadableError,
} from "./guard_errors.ts";
import { guardedResponse } from "./response/guarded_source.ts";
import { ResponseScanner } from "./response/response_scanner.ts";
import type { SpokenTexts } from "./response/text_joiner.ts";

export interface ContentGuardDeps extends RunDeps {
  readonly log: Pick<Logger, "error">;
}

interface ContentGuardOptions {
  readonly filters: ContentFilters;
  /** Where what they find is noted. */
  readonly findings: FilterFindings;
  readonly masks: MaskMap;
}

/** Code units of short pieces that are read before a pause is offered, and what a piece takes besides. */
const CHARS_AT_ONCE = 16 * 1024;
const PIECE_CHARS = 256;
/** Pieces that are looked at again before a pause is offered. */
const PIECES_AT_ONCE = 1_024;

/** Pauses that reading an error does without: some fifty milliseconds where patterns are costly. */
const MOST_ERROR_PAUSES = 128;
/** In place of a provider's words that a guardrail blocks. */
const WITHHELD = "The provider's message is withheld by a guardrail.";

export class ContentGuard implements RequestGuard {
  readonly #deps: ContentGuardDeps;
  readonly #filters: ContentFilters;
  readonly #findings: FilterFindings;
  /** Results of reading the values of a request. */
  readonly #known = new WeakMap<object, unknown>();
  /** Unreadable parts of a request, by the result of reading it. */
  readonly #unread = new WeakMap<object, UnreadParts>();
  /** Request after the last read: it is sent as it is unless something is added. */
  #lastRead: ModelRequest | undefined;
  /** Texts that were read on their way up, and go down again with the next turn. */
  readonly #texts = new Set<KnownText>();
  /** Ends of the texts that the client has read last in the turns so far. */
  readonly #spoken: SpokenTexts = new Map();
  readonly #masks: MaskMap;
  /** Characters of short pieces that were read since a pause was offered. */
  #unpaused = 0;
  readonly #usersInput: SlotScanOptions;
  readonly #othersInput: SlotScanOptions;

  constructor(deps: ContentGuardDeps, { filters, findings, masks }: ContentGuardOptions) {
    this.#deps = deps;
    this.#masks = masks;
    this.#filters = filters;
    this.#findings = findings;
    findings.watch(filters.guardrails);
    const masked = { masks, identifiers: masks };
    this.#usersInput = { ...this.#optionsFor(filters.users, REQUEST), ...masked };
    const isKnown = (text: KnownText) => this.#texts.has(text);
    this.#othersInput = { ...this.#optionsFor(filters.others, REQUEST), ...masked, isKnown };
  }

  readRequest(request: ModelRequest): ModelRequest | Promise<ModelRequest> {
    if (request === this.#lastRead) return request;
    const scanned = this.#run(REQUEST, this.#scanRequest(request));
    if (scanned instanceof Promise) return scanned.then((read) => this.#lastRead = read);
    return this.#lastRead = scanned;
  }

  readCall(request: ModelRequest): ModelRequest | Promise<ModelRequest> {
    const read = this.readRequest(request);
    const count = (known: ModelRequest) => this.#run(REQUEST, this.#countUnread(known));
    return read instanceof Promise ? read.then(count) : count(read);
  }

  /** Counts what a call has once, however many turns repeat it. Throws an ApiError. */
  *#countUnread(request: ModelRequest): Work<ModelRequest> {
    let pieces = 0;
    for (const { value } of requestPieces(request)) {
      if (++pieces % PIECES_AT_ONCE === 0) yield;
      const object = toObject(value);
      const unread = object && this.#unread.get(object);
      if (unread === undefined || unread.isCounted) continue;
      unread.isCounted = true;
      this.#findings.countUnscanned(unread.media + unread.sealed);
      this.#judgeUnread(unread.media, REQUEST);
    }
    this.#findings.writeStages();
    return request;
  }

  /** Throws an ApiError where a guardrail lets nothing through that it cannot read. */
  #judgeUnread(media: number, texts: GuardedTexts): void {
    const [guardrail] = this.#filters.unreadable;
    if (media === 0 || guardrail === undefined) return;
    this.#findings.addUnreadable(guardrail, texts.side);
    this.#findings.writeStages();
    throw unreadableError(guardrail, texts);
  }

  *#scanRequest(request: ModelRequest): Work<ModelRequest> {
    const changed = new Map<RequestPiece, unknown>();
    if (this.#lastRead === undefined && masks(this.#filters.users)) yield* this.#reserve(request);
    for (const piece of requestPieces(request)) {
      const scanned = yield* this.#scanPiece(piece);
      if (scanned !== piece.value) changed.set(piece, scanned);
      if (this.#unpaused <= CHARS_AT_ONCE) continue;
      this.#unpaused = 0;
      yield;
    }
    return withPieces(request, changed);
  }

  /** Reserves the placeholders that the caller has written: each stands for itself. */
  *#reserve(request: ModelRequest): Work<void> {
    for (const { value, shape } of requestPieces(request)) {
      const { slots } = yield* readShaped(value, shape);
      for (const { text } of slots) yield* this.#masks.reserve(text);
      yield;
    }
  }

  *#scanPiece(piece: RequestPiece): Work<unknown> {
    const { value, shape, isUsers } = piece;
    const object = toObject(value);
    if (object !== undefined && this.#known.has(object)) return this.#known.get(object);
    const read = yield* readShaped(value, shape);
    const options = isUsers ? this.#usersInput : this.#othersInput;
    let scanned = value;
    if (areClean(read.slots, options.view)) {
      this.#unpaused += PIECE_CHARS;
      for (const { text, around } of read.slots) {
        this.#unpaused += text.length;
        const counting = around === undefined ? this.#findings.countBytes(text) : undefined;
        if (counting !== undefined) yield* counting;
      }
    } else {
      scanned = yield* writeSlots(value, { shape, changes: yield* scanSlots(read.slots, options) });
    }
    this.#remember(object, { scanned, read });
    return scanned;
  }

  #remember(object: object | undefined, { scanned, read }: ScannedPiece): void {
    const written = toObject(scanned);
    if (object === undefined || written === undefined) {
      if (typeof scanned === "string") this.#texts.add(scanned);
      return;
    }
    this.#known.set(object, scanned);
    this.#known.set(written, scanned);
    const { media, sealed } = read;
    if (media + sealed > 0) this.#unread.set(written, { media, sealed, isCounted: false });
  }

  async readResponse(response: ModelResponse, context: RequestContext): Promise<ModelResponse> {
    const isRead = this.#filters.outputs.filters.length > 0 || this.#filters.unreadable.length > 0;
    if (!isConversation(context.request) || !isRead) return response;
    const scanner = new ResponseScanner({
      ...this.#optionsFor(this.#filters.outputs, RESPONSE),
      spoken: context.isNested === true ? undefined : this.#spoken,
      hasJsonTexts: context.request.format.type !== "text",
      read: (text) => this.#findings.countBytes(text),
      remember: (text) => this.#texts.add(text),
      skip: ({ media, sealed }) => {
        this.#findings.countUnscanned(media + sealed);
        this.#judgeUnread(media, RESPONSE);
      },
    });
    return await guardedResponse(response, {
      context,
      read: (batch) => this.#run(RESPONSE, scanner.scan(batch)),
      isEnforced: this.#filters.outputs.isEnforced,
    });
  }

  readErrorText(text: string): string {
    try {
      const scanning = scanText(text, this.#optionsFor(this.#filters.outputs, RESPONSE));
      return runBriefly(scanning, MOST_ERROR_PAUSES);
    } catch {
      // It is blocked, or takes long to judge: the failure is told all the same, without its words.
      return WITHHELD;
    } finally {
      this.#findings.writeStages();
    }
  }

  readToolOutput<T extends ToolOutput>(output: T, from: ToolSource): T | Promise<T> {
    const read = resultOf(from.bringer);
    return this.#run(read, this.#scanToolOutput(output, { from, read }));
  }

  *#scanToolOutput<T extends ToolOutput>(
    output: T,
    { from: { kind }, read }: { readonly from: ToolSource; readonly read: GuardedTexts },
  ): Work<T> {
    const options = { ...this.#optionsFor(this.#filters.others, read), masks: this.#masks };
    const { value, media, texts } = yield* scanValue(output, { shape: toolOutputShape(kind), options });
    this.#findings.countUnscanned(media);
    this.#judgeUnread(media, read);
    for (const text of texts) this.#texts.add(text);
    return value;
  }

  #optionsFor(view: FilterView, { side }: GuardedTexts): SlotScanOptions {
    return {
      view,
      report: (filter) => this.#findings.add(filter, side),
      window: side === "input" ? INPUT_WINDOW : OUTPUT_WINDOW,
      read: (text) => this.#findings.countBytes(text),
    };
  }

  /** Throws an ApiError, or rejects with it. */
  #run<T>(texts: GuardedTexts, work: Work<T>): T | Promise<T> {
    try {
      const done = runWork(work, this.#deps);
      if (!(done instanceof Promise)) return done;
      return done.catch((error) => {
        throw guardError(error, { texts, findings: this.#findings, filters: this.#filters, ...this.#deps });
      }).finally(() => this.#findings.writeStages());
    } catch (error) {
      throw guardError(error, { texts, findings: this.#findings, filters: this.#filters, ...this.#deps });
    } finally {
      this.#findings.writeStages();
    }
  }
}

interface UnreadParts extends Pick<ReadValue, "media" | "sealed"> {
  isCounted: boolean;
}

interface ScannedPiece {
  readonly scanned: unknown;
  readonly read: ReadValue;
}

const masks = ({ filters }: FilterView) => filters.some(({ action }) => action === "mask");

const toObject = (value: unknown): object | undefined =>
  typeof value === "object" && value !== null ? value : undefined;
