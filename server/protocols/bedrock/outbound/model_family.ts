/** Capabilities of the models behind Converse, by their names: `eu.anthropic.claude-…`, `amazon.nova-…`, ARNs. */

import { type ClaudeFamily, claudeFamily } from "../../common/outbound/claude/claude_family.ts";

export interface ModelFamily {
  /** How it is asked to think; Claude as on its own wire. */
  readonly thinking: "claude" | "nova" | "effort" | "none";
  /** Options that a Claude model takes wherever it is served. */
  readonly claude?: ClaudeFamily;
  /** Whether it takes breakpoints of the prompt cache. */
  readonly caches: boolean;
  /** Whether a breakpoint may stand behind a tool as well. */
  readonly cachesTools?: boolean;
  /** Whether its answer can be held to a JSON schema. */
  readonly schemas: boolean;
}

const claude: ModelFamily = { thinking: "claude", caches: true, cachesTools: true, schemas: true };
const open: ModelFamily = { thinking: "effort", caches: false, schemas: true };

const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [/claude-(instant|v2|3-(?!7))/, { ...claude, caches: false, schemas: false }],
  [/claude-(3-7|(opus|sonnet)-4(-[01]|-\d{8}))/, { ...claude, schemas: false }],
  [/claude/, claude],
  [/nova/, { thinking: "nova", caches: true, schemas: false }],
  [/gpt-oss|deepseek|qwen|kimi|minimax|glm/, open],
];

/** A model that this table does not know is asked for nothing special. */
export function modelFamily(model: string): ModelFamily {
  const known = families.find(([name]) => name.test(model))?.[1];
  if (known === undefined) return { thinking: "none", caches: false, schemas: false };
  return known.thinking === "claude" ? { ...known, claude: claudeFamily(model) } : known;
}
