/** Tells the simulated model which tool to call with what: `Use the <tool> tool with: <JSON>`, `… to run: <text>`. */

import { tryParseJson } from "../../../shared/util/json.ts";
import { toRecord, toText } from "../json_schema/json_values.ts";

/** A tool that the client runs, out of its namespace. */
export interface CallableTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly namespace?: string;
  /** The JSON schema of a function's arguments. */
  readonly parameters: unknown;
  /** A custom tool's regular expression, when its grammar is one. */
  readonly pattern?: string;
}

interface ToolInstruction {
  readonly tool: CallableTool;
  /** JSON text for functions, free text for custom tools. */
  readonly input: string;
}

interface Place {
  readonly at: number;
  /** Where what is to be called with begins. */
  readonly from: number;
  readonly tool: CallableTool;
  readonly verb: Verb;
}

const verbs = ["with:", "to run:"] as const;
type Verb = (typeof verbs)[number];

/** The instructions of a text, in its order. One whose JSON is no object is none. */
export function findInstructions(
  text: string,
  tools: readonly (readonly [CallableTool, readonly string[]])[],
): readonly ToolInstruction[] {
  const lower = text.toLowerCase();
  const places = tools.flatMap(([tool, spellings]) =>
    spellings.flatMap((spelling) => verbs.flatMap((verb) => placesOf(lower, { tool, spelling, verb })))
  ).toSorted((a, b) => a.at - b.at);
  return places.flatMap(({ from, tool, verb }, index) => {
    const rest = text.slice(from, places[index + 1]?.at).trim();
    const input = verb === "to run:" ? toRun(tool, rest) : toCallWith(tool, rest);
    return input === undefined ? [] : [{ tool, input }];
  });
}

interface Sought {
  readonly tool: CallableTool;
  readonly spelling: string;
  readonly verb: Verb;
}

function placesOf(lower: string, { tool, spelling, verb }: Sought): readonly Place[] {
  const words = `use the ${spelling} tool ${verb}`;
  const places: Place[] = [];
  for (let at = lower.indexOf(words); at >= 0; at = lower.indexOf(words, at + words.length)) {
    places.push({ at, from: at + words.length, tool, verb });
  }
  return places;
}

/** The JSON ends with the text or with its line. */
function toCallWith({ kind }: CallableTool, rest: string): string | undefined {
  if (kind === "custom") return rest;
  const [line = ""] = rest.split("\n");
  return [rest, line].find((json) => json.startsWith("{") && tryParseJson(json) !== undefined);
}

/** Names under which tools take what they run. */
const runnable = ["command", "commands", "code", "input", "query"];

function toRun({ kind, parameters }: CallableTool, rest: string): string | undefined {
  if (kind === "custom") return rest;
  const properties = new Map(Object.entries(toRecord(toRecord(parameters).properties)));
  const name = runnable.find((one) => properties.has(one)) ?? [...properties.keys()][0];
  if (name === undefined) return undefined;
  const isList = toText(toRecord(properties.get(name)).type) === "array";
  return JSON.stringify({ [name]: isList ? [rest] : rest });
}
