/** What the models behind Converse take, by their names: `eu.anthropic.claude-…`, `amazon.nova-…`, ARNs. */

export interface ModelFamily {
  /** How it is asked to think. */
  readonly thinking: "adaptive" | "budget" | "nova" | "effort" | "none";
  /** Whether it takes breakpoints of the prompt cache. */
  readonly caches: boolean;
  /** Whether a breakpoint may stand behind a tool as well. */
  readonly cachesTools?: boolean;
  /** Whether its answer can be held to a JSON schema. */
  readonly schemas: boolean;
}

const claude: ModelFamily = { thinking: "adaptive", caches: true, cachesTools: true, schemas: true };
const budget: ModelFamily = { ...claude, thinking: "budget" };
const open: ModelFamily = { thinking: "effort", caches: false, schemas: true };

const families: readonly (readonly [RegExp, ModelFamily])[] = [
  [/claude-(instant|v2|3-(?!7))/, { thinking: "none", caches: false, schemas: false }],
  [/claude-(3-7|(opus|sonnet)-4(-[01]|-\d{8}))/, { ...budget, schemas: false }],
  [/claude-(opus|sonnet|haiku)-4-5/, budget],
  [/claude/, claude],
  [/nova/, { thinking: "nova", caches: true, schemas: false }],
  [/gpt-oss|deepseek|qwen|kimi|minimax|glm/, open],
];

/** A model that this table does not know is asked for nothing special. */
export const modelFamily = (model: string): ModelFamily =>
  families.find(([name]) => name.test(model))?.[1] ?? { thinking: "none", caches: false, schemas: false };
