/**
 * Lists what a client requested and a wire does not send, by the names that clients know: nothing is dropped
 * silently.
 */

import type { ContentPart, Item, WireExtra, WireId } from "../../canonical/item.ts";
import type { CustomTool, FunctionTool, ModelRequest, Tool } from "../../canonical/request.ts";
import { type Keys, takes } from "./render_body.ts";

/** Fields that only some wires have a key for. */
export type RareField =
  | "cache_control"
  | "detail"
  | "is_error"
  | "prompt_cache_breakpoint"
  | "prompt_cache_key"
  | "prompt_cache_options"
  | "reasoning.context"
  | "reasoning.mode"
  | "safety_identifier"
  | "x-anthropic-beta";

interface SentFields {
  readonly wire: WireId;
  /** Fields that this wire has. */
  readonly fields: readonly RareField[];
  /** Whether an unknown key of a client of this same wire is passed on. */
  readonly passes: (key: string) => boolean;
  /** The same of keys of its tools; absent: none. */
  readonly toolKeys?: readonly string[] | "all";
  /** The same of keys of its items and parts; absent: all. */
  readonly inputKeys?: ReadonlySet<string>;
}

/** Names of what is not sent, in no particular order. */
export function unsentOf(request: ModelRequest, sent: SentFields): readonly string[] {
  const { fields } = sent;
  const unsent: string[] = [];
  const note = (field: RareField, isThere: boolean) => {
    if (isThere && !fields.includes(field)) unsent.push(field);
  };
  const { promptCacheKey, promptCacheOptions, reasoning, endUser } = request;
  const marks = marksOf(request);
  note("cache_control", marks.control);
  note("prompt_cache_breakpoint", marks.breakpoint);
  note("detail", marks.detail);
  note("is_error", marks.failed);
  note("prompt_cache_key", promptCacheKey !== undefined);
  note("prompt_cache_options", promptCacheOptions !== undefined);
  note("reasoning.context", reasoning?.context !== undefined);
  note("reasoning.mode", reasoning?.mode !== undefined);
  note("safety_identifier", endUser.safetyIdentifier !== undefined);
  note("x-anthropic-beta", request.betas !== undefined);
  if (request.extra !== undefined || request.tools.length > 0) unsent.push(...unknownKeys(request, sent));
  unsent.push(...unsentInput(request.input, sent));
  return unsent;
}

interface Marks {
  control: boolean;
  breakpoint: boolean;
  detail: boolean;
  /** True where a tool failed. */
  failed: boolean;
}

function marksOf({ cache, input, tools }: ModelRequest): Marks {
  const marks: Marks = {
    control: cache !== undefined || tools.some(isMarked),
    breakpoint: false,
    detail: false,
    failed: false,
  };
  for (const item of input) {
    if (item.type === "result" && item.extra?.messages?.is_error === true) marks.failed = true;
    for (const part of partsOf(item)) addMarks(marks, part);
  }
  return marks;
}

/** Only clients of the Messages API mark tools. */
const isMarked = (tool: Tool): boolean =>
  tool.type === "function" && (tool.extra?.messages?.cache_control ?? null) !== null;

const noParts: readonly ContentPart[] = [];

function partsOf(item: Item): readonly ContentPart[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : noParts;
}

function addMarks(marks: Marks, part: ContentPart): void {
  if (part.type === "refusal") return;
  if (part.type === "image" && part.detail !== undefined && part.detail !== "auto") marks.detail = true;
  if (part.cache === undefined) return;
  if (part.cache.breakpoint === undefined) marks.control = true;
  else marks.breakpoint = true;
}

/** Parts that only another wire has words for, and fields of items and parts that only its clients write. */
function unsentInput(input: readonly Item[], { wire, inputKeys }: SentFields): readonly string[] {
  let names: Set<string> | undefined;
  const add = (name: string) => {
    if ((names?.size ?? 0) < MOST) (names ??= new Set()).add(`input.${name.slice(0, LONGEST)}`);
  };
  const addFields = (extra: WireExtra) => {
    for (const [from, fields] of Object.entries(extra)) {
      const isSent = (key: string) => from === wire && (inputKeys?.has(key) ?? true);
      for (const key in fields) {
        if (!ours.has(key) && !saysNothing(key, fields[key]) && !isSent(key)) add(key);
      }
    }
  };
  for (const item of input) {
    if (item.extra !== undefined) addFields(item.extra);
    for (const part of partsOf(item)) {
      if (part.type === "foreign") {
        if (part.wire !== wire) add(part.kind);
      } else if (part.extra !== undefined) addFields(part.extra);
    }
  }
  return names === undefined ? [] : [...names];
}

/**
 * Keys that are not named as unsent, because wires say them in their own words: blocks of an item, marks (named
 * with the other marks), what stands in reasoning items too, and the places of details of thoughts.
 */
const ours: ReadonlySet<string> = new Set([
  "blocks",
  "cache_control",
  "extra_content",
  "indexes",
  "is_error",
  "of_call",
  "prompt_cache_breakpoint",
]);

/** So many are named, of so many characters each: clients choose the names. */
const MOST = 20;
const LONGEST = 64;

/** Wires on which functions can be deferred. */
const DEFERRING: ReadonlySet<string> = new Set(["responses", "messages"]);

function unknownKeys(request: ModelRequest, { wire, passes, toolKeys = [] }: SentFields): readonly string[] {
  const names = new Set<string>();
  addUnknown(names, request.extra, { isSent: (from, key) => from === wire && passes(key), before: "" });
  for (const tool of request.tools.flatMap(ofClient)) {
    if (tool.type === "function" && tool.deferLoading === true && !DEFERRING.has(wire)) {
      names.add("tools.defer_loading");
    }
    // What a tool's breakpoint becomes is told with the others.
    const isSent = (from: string, key: string) =>
      key === "cache_control" || (from === wire && (toolKeys === "all" || toolKeys.includes(key)));
    addUnknown(names, tool.extra, { isSent, before: "tools." });
  }
  const all = [...names];
  return all.length > MOST ? [...all.slice(0, MOST), "further unknown keys"] : all;
}

const ofClient = (tool: Tool): readonly (FunctionTool | CustomTool)[] => {
  if (tool.type === "namespace") return tool.tools;
  return tool.type === "function" || tool.type === "custom" ? [tool] : [];
};

interface Adding {
  readonly isSent: (from: string, key: string) => boolean;
  readonly before: string;
}

function addUnknown(names: Set<string>, extra: WireExtra | undefined, { isSent, before }: Adding): void {
  for (const [from, keys] of Object.entries(extra ?? {})) {
    for (const key in keys) {
      if (names.size > MOST) return;
      if (!saysNothing(key, keys[key]) && !isSent(from, key)) names.add(before + key.slice(0, LONGEST));
    }
  }
}

/** Nothing is stored anyway. */
const saysNothing = (key: string, value: unknown) =>
  value === undefined || value === null || (key === "store" && value === false);

/** Parameters that cost more, or that many servers refuse: sent where the endpoint's row or its model lists them. */
export function listed(
  fields: Readonly<Record<string, unknown>>,
  endpoint: Keys,
): Readonly<Record<string, unknown>> {
  const taken: Record<string, unknown> = {};
  for (const key in fields) {
    if (fields[key] !== undefined && takes(endpoint, key)) taken[key] = fields[key];
  }
  return taken;
}

/** Options of the canonical request by their names on OpenAI's wires, and whether a value asks for nothing. */
function optionsOf({ sampling, include, verbosity, modalities, imageConfig }: ModelRequest) {
  return {
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    top_k: sampling.topK,
    top_logprobs: sampling.topLogprobs,
    min_p: sampling.minP,
    top_a: sampling.topA,
    repetition_penalty: sampling.repetitionPenalty,
    seed: sampling.seed,
    logit_bias: sampling.logitBias,
    logprobs: include.includes("message.output_text.logprobs") || undefined,
    "text.verbosity": verbosity,
    "modalities image": modalities?.includes("image") || undefined,
    image_config: imageConfig,
  };
}

/**
 * Lists the requested options that the wire has no key for. A penalty or a share of 0 asks for nothing; a seed of 0
 * does.
 */
export function unsupportedOptions(
  request: ModelRequest,
  supported: readonly (keyof ReturnType<typeof optionsOf>)[] = [],
): readonly string[] {
  const names: readonly string[] = supported;
  return Object.entries(optionsOf(request)).flatMap(([name, value]) =>
    value === undefined || (value === 0 && name !== "seed") || names.includes(name) ? [] : [name]
  );
}
