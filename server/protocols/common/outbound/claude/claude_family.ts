/**
 * Capabilities of each family of Claude models, as Anthropic documents them (thinking and effort by model, sampling
 * parameters, forced tool use, structured outputs; November 2026). The model's name decides, because the same model
 * stands under many names: `claude-opus-4-5-20251101`, `anthropic.claude-opus-4-6-v1` at Bedrock,
 * `claude-haiku-4-5@20251001` at Vertex.
 */

export interface ClaudeFamily {
  /** `adaptive` steers by effort, `manual` by a budget of tokens; `both` takes either, `none` cannot think. */
  readonly thinking: "adaptive" | "manual" | "both" | "none";
  /** Whether a request without `thinking` gets any. */
  readonly thinksByDefault: boolean;
  /** The `thinking.type` that ends it; undefined where nothing does. */
  readonly off?: "disabled" | "between_tools";
  /** Whether effort `xhigh` is known. */
  readonly xhigh: boolean;
  /** Which of `temperature` and `top_p` it takes: both, one of them, none. */
  readonly sampling: "both" | "one" | "none";
  /** Whether a tool call can be forced. */
  readonly forced: boolean;
  /** Whether output and strict tools can be held to a JSON schema. */
  readonly schemas: boolean;
  /** Whether the assistant's last message may be the beginning of the answer. */
  readonly prefill: boolean;
}

const adaptive: ClaudeFamily = {
  thinking: "adaptive",
  thinksByDefault: true,
  off: "disabled",
  xhigh: true,
  sampling: "none",
  forced: true,
  schemas: true,
  prefill: false,
};
const alwaysOn: ClaudeFamily = { ...adaptive, off: undefined };
const unforced: ClaudeFamily = { ...alwaysOn, forced: false };
const onRequest: ClaudeFamily = { ...adaptive, thinksByDefault: false };
const transitional: ClaudeFamily = { ...onRequest, thinking: "both", xhigh: false, sampling: "one" };
const manual: ClaudeFamily = {
  ...onRequest,
  thinking: "manual",
  xhigh: false,
  sampling: "one",
  prefill: true,
};
const early: ClaudeFamily = { ...manual, schemas: false };
const thoughtless: ClaudeFamily = { ...early, thinking: "none", sampling: "both" };

/** Servers of others that speak this wire took over what it was before models could think by themselves. */
const compatible: ClaudeFamily = { ...early, sampling: "both", prefill: false };

/** By the beginning of the name behind `claude-`; the longest that fits holds. */
const families: Readonly<Record<string, ClaudeFamily>> = {
  "fable-5": alwaysOn,
  "fable-5-1": unforced,
  "fable-5-2": unforced,
  "mythos-5": alwaysOn,
  "mythos-5-1": unforced,
  "mythos-5-2": unforced,
  "mythos-preview": { ...alwaysOn, thinking: "both", xhigh: false },
  "opus-5": adaptive,
  "opus-5-5": unforced,
  "sonnet-5": adaptive,
  "sonnet-5-5": { ...adaptive, off: "between_tools", forced: false },
  "haiku-5-5": adaptive,
  "opus-4-8": onRequest,
  "opus-4-7": onRequest,
  "opus-4-6": transitional,
  "sonnet-4-6": transitional,
  "opus-4-5": manual,
  "sonnet-4-5": manual,
  "haiku-4-5": manual,
  "opus-4-1": manual,
  "opus-4": early,
  "sonnet-4": early,
  "3-7-sonnet": early,
  "3": thoughtless,
  "2": thoughtless,
  "instant": thoughtless,
};

const longestFirst = Object.entries(families).toSorted(([one], [other]) => other.length - one.length);

/** A Claude that this table does not know is newer than it, so it is taken to be like the newest. */
export function claudeFamily(model: string): ClaudeFamily {
  const name = /claude-(.+)$/.exec(model.toLowerCase().replaceAll(".", "-"))?.[1];
  if (name === undefined) return compatible;
  const known = longestFirst.find(([prefix]) =>
    name === prefix || name.startsWith(`${prefix}-`) || name.startsWith(`${prefix}@`)
  );
  return known?.[1] ?? alwaysOn;
}
