/** Which of the client's tools the simulated model calls, and with what. */

import type { CallableTool } from "./tool_instructions.ts";
import { invalidRequest } from "../wire_error.ts";
import { toRecord, toText } from "../json_schema/json_values.ts";
import { generateValue } from "../json_schema/generate_value.ts";
import { generateMatching } from "../json_schema/generate_matching_string.ts";
import { extractPromptWords, type PromptWords } from "../json_schema/prompt_words.ts";
import { findInstructions } from "./tool_instructions.ts";
import type { LeafTool, SimulatorRequest, SimulatorTool, SimulatorToolChoice } from "./parse_request.ts";

interface PlannedToolCall {
  readonly tool: CallableTool;
  readonly input: string;
}

const MAX_CALLS = 16;
const EDGE = 10_000;

/** Subject of this turn. */
interface ToolPrompt {
  /** The last user's text. */
  readonly text: string;
  /** A tool has answered since, so naming a tool has been dealt with and a loop comes to its end. */
  readonly answered: boolean;
}

/** The calls of this turn: what `tool_choice` forces, or the tools that the user names. */
export function planToolCalls(
  requested: SimulatorRequest,
  { text, answered }: ToolPrompt,
): readonly PlannedToolCall[] {
  const received = answered ? "" : edgesOf(text);
  const tools = callablesOf(requested.tools ?? []);
  const chosen = chosenTools(requested.tool_choice ?? "auto", { tools, said: received });
  const most = requested.parallel_tool_calls === false ? 1 : MAX_CALLS;
  const instructed = instructionsIn(received, chosen);
  if (instructed.length > 0) return instructed.slice(0, most);
  const names = tools.flatMap((tool) =>
    nameSpellings(tool.name).flatMap((name) => [name, ...name.split(/\W/)])
  );
  return chosen.slice(0, most).map((tool) => ({
    tool,
    input: inputFor(tool, extractPromptWords(text, names)),
  }));
}

const instructionsIn = (text: string, tools: readonly CallableTool[]) =>
  findInstructions(text, tools.map((tool) => [tool, nameSpellings(tool.name)]));

/** The beginning and the end of a long text: where one says what is to be done. */
function edgesOf(text: string): string {
  return text.length <= 2 * EDGE ? text : `${text.slice(0, EDGE)} ${text.slice(-EDGE)}`;
}

function callablesOf(tools: readonly SimulatorTool[]): readonly CallableTool[] {
  return tools.flatMap((tool) => {
    if (tool.type !== "namespace") return callable(tool, undefined);
    return (tool.tools ?? []).flatMap((inner) => callable(inner, tool.name ?? undefined));
  });
}

function callable(tool: LeafTool, namespace: string | undefined): readonly CallableTool[] {
  if ((tool.type !== "function" && tool.type !== "custom") || !tool.name) return [];
  const { type, name, parameters, format } = tool;
  const pattern = format?.syntax === "regex" ? format.definition : undefined;
  return [{ kind: type, name, namespace, parameters, pattern }];
}

interface Choosing {
  readonly tools: readonly CallableTool[];
  readonly said: string;
}

function chosenTools(
  choice: SimulatorToolChoice,
  { tools, said }: Choosing,
): readonly CallableTool[] {
  if (choice === "none") return [];
  if (choice === "auto") return namedIn(said, tools);
  if (choice === "required") return forced(tools, { said });
  if (choice.type === "allowed_tools") {
    const allowed = tools.filter((tool) => (choice.tools ?? []).some((one) => isNamed(tool, one)));
    return choice.mode === "required" ? forced(allowed, { said }) : namedIn(said, allowed);
  }
  if (choice.type !== "function" && choice.type !== "custom") return namedIn(said, tools);
  const tool = tools.find((one) => isNamed(one, choice));
  if (tool !== undefined) return [tool];
  const message = `Tool choice '${choice.name ?? ""}' not found in 'tools' parameter.`;
  throw invalidRequest(message, "invalid_value", { param: "tool_choice" });
}

interface Name {
  readonly type: string;
  readonly name?: string | null;
  readonly namespace?: string | null;
}

function isNamed(tool: CallableTool, name: Name): boolean {
  if (name.type === "namespace") return tool.namespace === name.name;
  return tool.kind === name.type && tool.name === name.name &&
    (!name.namespace || name.namespace === tool.namespace);
}

function forced(
  tools: readonly CallableTool[],
  { said }: { readonly said: string },
): readonly CallableTool[] {
  const named = namedIn(said, tools);
  return named.length > 0 ? named : tools.slice(0, 1);
}

/** The tools whose names stand in a text, in the order of the text. */
function namedIn(received: string, tools: readonly CallableTool[]): readonly CallableTool[] {
  const text = received.toLowerCase();
  const found = tools.map((tool) => ({ tool, at: placeOf(tool.name, text) }));
  return found.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at).map(({ tool }) => tool);
}

function placeOf(name: string, text: string): number {
  const places = nameSpellings(name).map((spelling) => wordAt(text, spelling)).filter((at) => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** As it is, and as one would say it: `get_weather`, `getWeather` → `get weather`. */
function nameSpellings(name: string): readonly string[] {
  const speech = name.replace(/[_\-.]+/g, " ").replace(/([a-z0-9])([A-Z])/g, "$1 $2").trim();
  return [...new Set([name.toLowerCase(), speech.toLowerCase()])].filter((one) => one !== "");
}

function wordAt(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = text.charAt(at - 1) + text.charAt(at + word.length);
    if (!/[\p{L}\p{N}_]/u.test(around)) return at;
  }
  return -1;
}

function inputFor(tool: CallableTool, words: PromptWords): string {
  if (tool.kind === "function") return JSON.stringify(argumentsFor(tool.parameters, words));
  if (tool.pattern === undefined) return words.text.trim() || "example";
  const [made] = generateMatching(tool.pattern, { min: 0, max: 2_000 });
  return made ?? words.text;
}

/** Arguments are always an object, whatever the schema forgets to say. */
function argumentsFor(parameters: unknown, words: PromptWords): unknown {
  const schema = toRecord(parameters);
  if (Object.keys(schema).length === 0) return {};
  return generateValue(
    toText(schema.type) === undefined && !schema.$ref ? { ...schema, type: "object" } : schema,
    words,
  );
}
