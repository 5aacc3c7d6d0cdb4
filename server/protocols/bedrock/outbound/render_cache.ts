/** Explicit breakpoints of the prompt cache: the provider takes four, and none for models that do not cache. */

import type { CacheBreakpoint, JsonObject } from "../../canonical/item.ts";
import {
  type ConverseBlock,
  type ConverseMessage,
  renderCachePoint,
  type ReportDropped,
} from "./render_blocks.ts";
import type { ModelFamily } from "./model_family.ts";

const MOST = 4;

interface CacheInput {
  readonly tools: readonly JsonObject[];
  readonly system: readonly ConverseBlock[];
  readonly messages: readonly ConverseMessage[];
  /** The request's own `cache_control`, which sets one more breakpoint behind everything. */
  readonly automatic?: CacheBreakpoint;
}

interface CacheContext {
  readonly family: ModelFamily;
  readonly note: ReportDropped;
}

/** The last breakpoints stay: they hold the longest prefix, and the next turn adds to them. */
export function limitCachePoints(
  input: CacheInput,
  { family, note }: CacheContext,
): Omit<CacheInput, "automatic"> {
  const { system, messages } = withAutomatic(input);
  const tools = family.cachesTools ? input.tools : input.tools.filter((tool) => !isPoint(tool));
  const unmarked = input.tools.length - tools.length;
  const marks = [...tools, ...system, ...messages.flatMap(({ content }) => content)].filter(isPoint);
  const surplus = family.caches ? Math.max(0, marks.length - MOST) : marks.length;
  if (surplus + unmarked === 0) return { tools, system, messages };
  note(`${surplus + unmarked} cache_control`);
  const removed = new Set(marks.slice(0, surplus));
  const kept = (block: ConverseBlock) => !removed.has(block);
  return {
    tools: tools.filter(kept),
    system: system.filter(kept),
    messages: messages.map(({ role, content }) => ({ role, content: content.filter(kept) })),
  };
}

const isPoint = (block: ConverseBlock) => "cachePoint" in block;

function withAutomatic({ system, messages, automatic }: CacheInput): Pick<CacheInput, "system" | "messages"> {
  const last = messages.at(-1);
  if (automatic === undefined || last === undefined || last.content.some(isPoint)) {
    return { system, messages };
  }
  const content = [...last.content, ...renderCachePoint(automatic)];
  return { system, messages: [...messages.slice(0, -1), { ...last, content }] };
}
