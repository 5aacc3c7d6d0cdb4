/** Settings that the APIs spell in their own ways. Presets spell them as POST /chat/completions does. */

import { isRecord } from "../util/json.ts";
import { type Fields, type Place, valueAt, withValue } from "./places.ts";

/** A type that an API nests in a field of the same name elsewhere: `{type: "function", function: {name}}`. */
const nested: ReadonlySet<string> = new Set(["function", "custom", "json_schema"]);

/** `{type: "function", name}` → `{type: "function", function: {name}}`. */
function nest(value: unknown): unknown {
  if (!isRecord(value) || typeof value.type !== "string" || !nested.has(value.type)) return value;
  const { type, ...rest } = value;
  return { type, [value.type]: rest };
}

/** The way back. */
function unnest(value: unknown): unknown {
  if (!isRecord(value) || typeof value.type !== "string" || !nested.has(value.type)) return value;
  const { type, [value.type]: inner, ...rest } = value;
  return { type, ...(isRecord(inner) ? inner : {}), ...rest };
}

/** A grammar is nested once more in a chat. */
function nestGrammar(tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool.format) || tool.format.type !== "grammar") return tool;
  const { type, ...grammar } = tool.format;
  return { ...tool, format: { type, grammar } };
}

function unnestGrammar(tool: unknown): unknown {
  if (!isRecord(tool) || !isRecord(tool.format) || !isRecord(tool.format.grammar)) return tool;
  const { type, grammar } = tool.format;
  return { ...tool, format: { type, ...grammar } };
}

type Translate = (value: unknown) => unknown;
interface Spelling {
  readonly fromApi: Translate;
  readonly toApi: Translate;
}

const each = (translate: Translate): Translate => (value) =>
  Array.isArray(value) ? value.map(translate) : value;

export const responsesFormat: Spelling = { fromApi: nest, toApi: unnest };
export const responsesChoice: Spelling = responsesFormat;
export const responsesTools: Spelling = {
  fromApi: each((tool) => nest(nestGrammar(tool))),
  toApi: each((tool) => unnestGrammar(unnest(tool))),
};

const isClientTool = ({ type }: Fields): boolean => type === undefined || type === null || type === "custom";

export const messagesTools: Spelling = {
  fromApi: each((tool) => {
    if (!isRecord(tool) || !isClientTool(tool)) return tool;
    const { type: _, input_schema: parameters, ...rest } = tool;
    return { type: "function", function: { ...rest, parameters } };
  }),
  toApi: each((tool) => {
    const flat = unnest(tool);
    if (!isRecord(flat) || flat.type !== "function") return tool;
    const { type: _, parameters, ...rest } = flat;
    return { ...rest, input_schema: parameters ?? { type: "object" } };
  }),
};

export const messagesFormat: Spelling = {
  fromApi: (value) =>
    isRecord(value)
      ? { type: "json_schema", json_schema: { name: "response", schema: value.schema } }
      : value,
  toApi: (value) => {
    const flat = unnest(value);
    return isRecord(flat) && flat.type === "json_schema"
      ? { type: "json_schema", schema: flat.schema }
      : undefined;
  },
};

const words: ReadonlyMap<unknown, string> = new Map([["auto", "auto"], ["any", "required"], [
  "none",
  "none",
]]);
const wordsBack = new Map([...words].map(([theirs, ours]): [unknown, unknown] => [ours, theirs]));

export const messagesChoice: Spelling = {
  fromApi: (value) => {
    if (!isRecord(value)) return value;
    return value.type === "tool"
      ? nest({ type: "function", name: value.name })
      : words.get(value.type) ?? value;
  },
  toApi: (value) => {
    const type = wordsBack.get(value);
    if (type !== undefined) return { type };
    const flat = unnest(value);
    return isRecord(flat) && flat.type === "function" ? { type: "tool", name: flat.name } : value;
  },
};

/** Messages say it inside of the choice. */
export const messagesParallel: Place = {
  read: (body) => {
    const alone = valueAt(body, "tool_choice.disable_parallel_tool_use");
    return typeof alone === "boolean" ? !alone : undefined;
  },
  write: (body, value) => {
    if (value !== false) return body;
    const choice = valueAt(body, "tool_choice") ?? { type: "auto" };
    if (!isRecord(choice) || choice.type === "none") return body;
    return { ...body, tool_choice: { ...choice, disable_parallel_tool_use: true } };
  },
};

/** A chat's older field says the effort alone. */
export const chatReasoning: Place = {
  read: (body) => {
    const effort = valueAt(body, "reasoning_effort");
    return valueAt(body, "reasoning") ?? (effort === undefined ? undefined : { effort });
  },
  write: (body, reasoning) => ({ ...body, reasoning }),
};

/** Messages say how to think in one field, and with how much effort in another. */
export const messagesReasoning: Place = {
  read: (body) => {
    const [thinking, effort] = [valueAt(body, "thinking"), valueAt(body, "output_config.effort")];
    if (!isRecord(thinking)) return effort === undefined ? undefined : { effort };
    const { type, budget_tokens: max_tokens } = thinking;
    const how = type === "enabled" ? { max_tokens } : { enabled: type === "adaptive" };
    return effort === undefined ? how : { effort, ...how };
  },
  write: (body, value) => {
    if (!isRecord(value)) return body;
    const { effort, enabled, max_tokens } = value;
    if (enabled === false || effort === "none") return { ...body, thinking: { type: "disabled" } };
    const said = effort === undefined || effort === null
      ? body
      : withValue(body, { path: "output_config.effort", value: effort });
    if (typeof max_tokens === "number") {
      return { ...said, thinking: { type: "enabled", budget_tokens: max_tokens } };
    }
    return enabled === true ? { ...said, thinking: { type: "adaptive" } } : said;
  },
};

/** One text is as good as a list of it. */
export const listOfTexts: Translate = (value) => typeof value === "string" ? [value] : value;

/** Messages may name each model behind the first one in an object of its own. */
export const namesOfModels: Translate = each((one) => isRecord(one) ? one.model : one);
