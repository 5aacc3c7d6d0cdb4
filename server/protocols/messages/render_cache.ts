/**
 * Explicit cache breakpoints. The provider takes four, reads them in the order tools, system, messages, and
 * refuses one that holds for an hour behind one that holds for five minutes.
 */

import type { Json } from "../../hub/item.ts";
import type { Block, Message, Note } from "./blocks.ts";

const MOST = 4;

export interface Marked {
  readonly tools: readonly Json[];
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
}

export interface CacheOptions {
  /** The request's own `cache_control`, which sets one more breakpoint behind everything. */
  readonly automatic?: Json;
  readonly note: Note;
}

/** The last breakpoints stay: they hold the longest prefix, and the next turn adds to them. */
export function limitBreakpoints(given: Marked, { automatic, note }: CacheOptions): Marked {
  const marks = breakpoints(given);
  const room = automatic === undefined ? MOST : MOST - 1;
  const surplus = Math.max(0, marks.length - room);
  const shortened = laterHours(marks.slice(surplus));
  if (surplus === 0 && shortened.size === 0) return given;
  if (surplus > 0) note(`${surplus} cache_control`);
  if (shortened.size > 0) note("cache_control.ttl 1h behind 5m");
  const removed = new Set(marks.slice(0, surplus));
  const fit = (block: Json): Json => {
    if (removed.has(block)) return without(block);
    return shortened.has(block) ? { ...block, cache_control: { type: "ephemeral" } } : block;
  };
  return {
    tools: given.tools.map(fit),
    system: given.system.map((block) => ({ ...fit(block), type: block.type })),
    messages: given.messages.map(({ role, content }) => ({
      role,
      content: content.map((block) => ({ ...fit(block), type: block.type })),
    })),
  };
}

/** Blocks and tools with a breakpoint, in the provider's order. */
const breakpoints = ({ tools, system, messages }: Marked): readonly Json[] =>
  [...tools, ...system, ...messages.flatMap(({ content }) => content)].filter(
    ({ cache_control }) => cache_control !== undefined,
  );

/** Those that hold longer than one before them. Shorter is what costs less to write. */
function laterHours(marks: readonly Json[]): ReadonlySet<Json> {
  const firstShort = marks.findIndex((mark) => !holdsAnHour(mark));
  return new Set(firstShort < 0 ? [] : marks.slice(firstShort).filter(holdsAnHour));
}

function holdsAnHour({ cache_control: control }: Json): boolean {
  return typeof control === "object" && control !== null && "ttl" in control && control.ttl === "1h";
}

function without({ cache_control: _removed, ...rest }: Json): Json {
  return rest;
}
