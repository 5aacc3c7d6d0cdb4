/** Explicit breakpoints of the prompt cache: the provider takes four, and none for models that do not cache. */

import type { CacheMark, Json } from "../../../canonical/item.ts";
import { type Block, cachePoint, type Message, type Note } from "./render_blocks.ts";
import type { Family } from "./model_family.ts";

const MOST = 4;

export interface Marked {
  readonly tools: readonly Json[];
  readonly system: readonly Block[];
  readonly messages: readonly Message[];
  /** The request's own `cache_control`, which sets one more breakpoint behind everything. */
  readonly automatic?: CacheMark;
}

export interface CacheContext {
  readonly family: Family;
  readonly note: Note;
}

/** The last breakpoints stay: they hold the longest prefix, and the next turn adds to them. */
export function limitCachePoints(given: Marked, { family, note }: CacheContext): Omit<Marked, "automatic"> {
  const { system, messages } = withAutomatic(given);
  const tools = family.cachesTools ? given.tools : given.tools.filter((tool) => !isPoint(tool));
  const unmarked = given.tools.length - tools.length;
  const marks = [...tools, ...system, ...messages.flatMap(({ content }) => content)].filter(isPoint);
  const surplus = family.caches ? Math.max(0, marks.length - MOST) : marks.length;
  if (surplus + unmarked === 0) return { tools, system, messages };
  note(`${surplus + unmarked} cache_control`);
  const removed = new Set(marks.slice(0, surplus));
  const kept = (block: Block) => !removed.has(block);
  return {
    tools: tools.filter(kept),
    system: system.filter(kept),
    messages: messages.map(({ role, content }) => ({ role, content: content.filter(kept) })),
  };
}

const isPoint = (block: Block) => "cachePoint" in block;

function withAutomatic({ system, messages, automatic }: Marked): Pick<Marked, "system" | "messages"> {
  const last = messages.at(-1);
  if (automatic === undefined || last === undefined || last.content.some(isPoint)) {
    return { system, messages };
  }
  const content = [...last.content, ...cachePoint(automatic)];
  return { system, messages: [...messages.slice(0, -1), { ...last, content }] };
}
