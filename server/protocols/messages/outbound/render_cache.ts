/**
 * Explicit cache breakpoints. The provider takes four, reads them in the order tools, system, messages, and
 * refuses one that holds for an hour behind one that holds for five minutes.
 */

import type { CacheBreakpoint, JsonObject } from "../../canonical/item.ts";
import type { RenderedBlock, RenderedMessage, ReportDropped } from "./render_parts.ts";

const MOST = 4;
const HOUR = "1h";

export interface CacheInput {
  readonly tools: readonly JsonObject[];
  readonly system: readonly RenderedBlock[];
  readonly messages: readonly RenderedMessage[];
  /** The request's own `cache_control`, which sets one more breakpoint behind everything. */
  readonly automatic?: CacheBreakpoint;
}

/** The last breakpoints stay: they hold the longest prefix, and the next turn adds to them. */
export function limitBreakpoints(input: CacheInput, note: ReportDropped): CacheInput {
  const marks = breakpoints(input);
  const automatic = isMarked(lastBlock(input)) ? undefined : input.automatic;
  const surplus = Math.max(0, marks.length - (automatic === undefined ? MOST : MOST - 1));
  const stay = marks.slice(surplus);
  const shortened = longerTtls(stay);
  const shortens = automatic?.ttl === HOUR && !stay.every(holdsAnHour);
  if (surplus > 0) note(`${surplus} cache_control`);
  if (shortened.size > 0 || shortens) note("cache_control.ttl 1h behind 5m");
  const removed = new Set(marks.slice(0, surplus));
  const fitted = { ...input, automatic: shortens ? {} : automatic };
  return removed.size + shortened.size === 0 ? fitted : withMarks(fitted, { removed, shortened });
}

interface Changes {
  readonly removed: ReadonlySet<JsonObject>;
  readonly shortened: ReadonlySet<JsonObject>;
}

function withMarks(
  { tools, system, messages, automatic }: CacheInput,
  { removed, shortened }: Changes,
): CacheInput {
  const fit = (block: JsonObject): JsonObject => {
    if (removed.has(block)) return without(block);
    return shortened.has(block) ? { ...block, cache_control: { type: "ephemeral" } } : block;
  };
  const fitBlock = (block: RenderedBlock): RenderedBlock => ({ ...fit(block), type: block.type });
  return {
    tools: tools.map(fit),
    system: system.map(fitBlock),
    messages: messages.map(({ role, content }) => ({ role, content: content.map(fitBlock) })),
    automatic,
  };
}

/** Where the request's own breakpoint would stand; beside one that is there already it is refused. */
const lastBlock = ({ messages }: CacheInput): JsonObject => messages.at(-1)?.content.at(-1) ?? {};

const isMarked = ({ cache_control: control }: JsonObject) => control !== undefined;

/** Blocks and tools with a breakpoint, in the provider's order. */
const breakpoints = ({ tools, system, messages }: CacheInput): readonly JsonObject[] =>
  [...tools, ...system, ...messages.flatMap(({ content }) => content)].filter(isMarked);

/** Finds the marks that hold longer than one before them. Shorter is what costs less to write. */
function longerTtls(marks: readonly JsonObject[]): ReadonlySet<JsonObject> {
  const firstShort = marks.findIndex((mark) => !holdsAnHour(mark));
  return new Set(firstShort < 0 ? [] : marks.slice(firstShort).filter(holdsAnHour));
}

function holdsAnHour({ cache_control: control }: JsonObject): boolean {
  return typeof control === "object" && control !== null && "ttl" in control && control.ttl === HOUR;
}

function without({ cache_control: _removed, ...rest }: JsonObject): JsonObject {
  return rest;
}
