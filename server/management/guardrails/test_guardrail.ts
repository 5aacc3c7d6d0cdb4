/**
 * Tests what the filters of a guardrail would do to a text or a request. Calls nobody, nor its service, and keeps
 * nothing.
 */

import { ApiError } from "../../../shared/errors.ts";
import type { GuardrailTest, TestDirection } from "../../../shared/guardrails.ts";
import { type guardrailApi, MAX_TEST_CHARS } from "../../../shared/management/guardrails.ts";
import type { OperationBody } from "../../../shared/management/operation.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import {
  type ActiveFilter,
  compileContentFilters,
  type ContentFilters,
  type FilterView,
  nameOf,
} from "../../pipeline/guardrails/content_filters.ts";
import { outcomeOf, strongestOutcome } from "../../pipeline/guardrails/filter_strength.ts";
import { runWork, type Work, WorkTooLong } from "../../../shared/util/run_work.ts";
import { MaskMap } from "../../pipeline/guardrails/mask_map.ts";
import { joinedRuns } from "../../pipeline/guardrails/scanners/joined_texts.ts";
import { readShaped, scanJoined, scanSlot } from "../../pipeline/guardrails/scanners/scan_slots.ts";
import { countUtf8Bytes, scanText } from "../../pipeline/guardrails/scanners/scan_text.ts";
import { type RequestPiece, requestPieces } from "../../pipeline/guardrails/text_slots/request_shapes.ts";
import type { TextMatch } from "../../pipeline/guardrails/text_filter.ts";
import { BlockedContent } from "../../pipeline/guardrails/scanners/text_scanner.ts";
import type { ScanOptions } from "../../pipeline/guardrails/scanners/scan_options.ts";
import { INPUT_WINDOW, OUTPUT_WINDOW } from "../../pipeline/guardrails/scanners/scan_windows.ts";
import type { ManagementDeps, ModelApi } from "../core/management_deps.ts";
import type { GuardrailRow } from "./guardrail_rows.ts";

type TestBody = OperationBody<(typeof guardrailApi)["guardrails.test"]>;
type TestedPlace = GuardrailTest["places"][number];
type TestDeps = Pick<ManagementDeps, "runtime" | "parseModelRequest" | "pause">;

/** Matches that are told of one text. */
const MOST_MATCHES = 1_000;

/** Throws an ApiError (400) for what is no request, and one (413) for a request that is too large, and one (422) for what takes too long. */
export async function testGuardrail(
  { runtime: { clock }, parseModelRequest, pause }: TestDeps,
  { row, body }: { readonly row: GuardrailRow; readonly body: TestBody },
): Promise<GuardrailTest> {
  const filters = compileContentFilters([{ ...row, scope: "api-key" }]) ?? noFilters;
  const test = new FilterTest(filters, body.direction ?? "input");
  const work = "text" in body ? test.text(body.text) : test.request(requestOf(body, parseModelRequest));
  try {
    await runWork<unknown>(work, { clock, pause });
  } catch (error) {
    if (!(error instanceof WorkTooLong)) throw error;
    throw new ApiError("unprocessable", `Cannot test guardrail: ${error.message}`);
  }
  return test.result;
}

const noFilters: ContentFilters = {
  users: { filters: [], isEnforced: false },
  others: { filters: [], isEnforced: false },
  outputs: { filters: [], isEnforced: false },
  guardrails: [],
  unreadable: [],
  external: [],
};

type RequestBody = Extract<TestBody, { readonly request: unknown }>;

function requestOf({ request, api }: RequestBody, parse: ManagementDeps["parseModelRequest"]): ModelRequest {
  const { length } = JSON.stringify(request);
  if (length > MAX_TEST_CHARS) {
    throw new ApiError(
      "too_large",
      `Cannot test guardrail: request has ${length} characters; at most ${MAX_TEST_CHARS} are allowed`,
      { metadata: { path: "request" } },
    );
  }
  if (api !== undefined) return parse(api, request);
  const guess = guessApi(request);
  try {
    return parse(guess, request);
  } catch (error) {
    // Bodies with messages are of two APIs; the error of the commoner one is told.
    if (guess !== "chat" || !("max_tokens" in request)) throw error;
    return parse("messages", request);
  }
}

function guessApi(request: Readonly<Record<string, unknown>>): ModelApi {
  if ("messages" in request) return "system" in request ? "messages" : "chat";
  if ("encoding_format" in request || "dimensions" in request) return "embeddings";
  return "voice" in request || "response_format" in request ? "speech" : "responses";
}

interface Found {
  readonly filter: ActiveFilter;
  readonly match: TextMatch;
}

class FilterTest {
  readonly #filters: ContentFilters;
  readonly #side: TestDirection;
  readonly #places: TestedPlace[] = [];
  #bytes = 0;
  #unscanned = 0;
  #isUnreadable = false;
  readonly #masks = new MaskMap();

  constructor(filters: ContentFilters, side: TestDirection) {
    this.#filters = filters;
    this.#side = side;
  }

  get result(): GuardrailTest {
    const found = this.#places.flatMap(({ matches }) => matches.map(({ action }) => action));
    const actions = this.#isUnreadable ? [...found, "blocked" as const] : found;
    return {
      action: actions.length === 0 ? null : strongestOutcome(actions),
      places: this.#places,
      scanned_bytes: this.#bytes,
      unscanned_parts: this.#unscanned,
      external: this.#filters.external.length === 0 ? null : "not_asked",
    };
  }

  /** A text that a user sends, or that a model answers. */
  *text(text: string): Work<void> {
    const isUsers = this.#side === "input";
    yield* this.#count(text);
    yield* this.#read({
      name: "text",
      isUsers,
      scan: (options) => scanText(text, options),
      isAlwaysTold: true,
    });
  }

  *#count(text: string): Work<void> {
    const counting = countUtf8Bytes(text, (bytes) => this.#bytes += bytes);
    if (counting !== undefined) yield* counting;
  }

  *request(request: ModelRequest): Work<void> {
    for (const piece of requestPieces(request)) yield* this.#piece(piece);
  }

  /** Each text for itself: places of matches are told of that text. */
  *#piece({ value, shape, name, isUsers }: RequestPiece): Work<void> {
    const { slots, media, sealed } = yield* readShaped(value, shape);
    this.#unscanned += media + sealed;
    if (media > 0 && this.#filters.unreadable.length > 0) this.#isUnreadable = true;
    for (const slot of slots) {
      if (slot.around === undefined) yield* this.#count(slot.text);
      yield* this.#read({ name, isUsers, scan: (options) => scanSlot(slot, options) });
    }
    for (const run of joinedRuns(slots, ({ text }) => text)) {
      const texts = run.map(({ text }) => text);
      yield* this.#read({ name, isUsers, scan: (options) => joined(scanJoined(texts, options)) });
    }
  }

  *#read({ name, isUsers, scan, isAlwaysTold = false }: ReadInput): Work<void> {
    const found: Found[] = [];
    const options: ScanOptions = {
      view: this.#viewFor(isUsers),
      window: this.#side === "input" ? INPUT_WINDOW : OUTPUT_WINDOW,
      report: (filter, match) => found.push({ filter, match }),
      masks: this.#masks,
    };
    let scanned: string | null;
    try {
      scanned = yield* scan(options);
    } catch (error) {
      if (!(error instanceof BlockedContent)) throw error;
      scanned = null;
    }
    if (found.length === 0 && !isAlwaysTold) return;
    const matches = found.flatMap(describeMatches).sort((one, other) => one.start - other.start);
    this.#places.push({
      place: name,
      text: scanned,
      matches: matches.slice(0, MOST_MATCHES),
      match_count: matches.length,
    });
  }

  #viewFor(isUsers: boolean): FilterView {
    if (this.#side === "output") return this.#filters.outputs;
    return isUsers ? this.#filters.users : this.#filters.others;
  }
}

interface ReadInput {
  readonly name: string;
  readonly isUsers: boolean;
  readonly scan: (options: ScanOptions) => Work<string>;
  readonly isAlwaysTold?: boolean;
}

function* joined(work: Work<readonly string[]>): Work<string> {
  return (yield* work).join("");
}

const describeMatches = ({ filter: { members }, match: { start, end } }: Found): TestedPlace["matches"] =>
  members.map((member) => ({ start, end, action: outcomeOf(member), ...nameOf(member) }));
