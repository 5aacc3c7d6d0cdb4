/**
 * Items of server tools that a client brings back: call and result again, as the model had them, so that signatures
 * and prompt caches hold. Items that do not say what was called stay as they are, and are told in words.
 */

import { serviceKindOf } from "../../../shared/fields/service_tool_names.ts";
import { tryParseJson } from "../../../shared/util/json.ts";
import type { Item, PassthroughItem, ToolCallItem, ToolResultItem } from "../../protocols/canonical/item.ts";
import type { FunctionTool, ModelRequest, Tool } from "../../protocols/canonical/request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import { ResultImages, takesImages } from "./result_images.ts";
import { isClientSearch } from "./tool_search/client_tool_search.ts";
import { findByHostedItem, findByHostedTool, findServerTool } from "./mod.ts";
import { isNativeTool } from "./offered_tools.ts";
import { textOf, type ToolDefinition } from "./tool_definition.ts";

interface ReplayInput extends Pick<ModelRequest, "input" | "tools"> {
  readonly endpoint: Endpoint;
}

/** The same list where nothing is replayed. */
export function replayServerCalls({ input, tools, endpoint }: ReplayInput): readonly Item[] {
  if (!input.some(isOfTool)) return input;
  const replay = new Replay({ tools, endpoint, answers: answersOf(input) });
  for (const item of input) replay.add(item);
  return replay.end();
}

/** Items that are results of calls, with the ids of these: a provider's own search of tools has none, and follows. */
function answersOf(input: readonly Item[]): ReadonlyMap<Item, string> {
  const answers = new Map<Item, string>();
  const last = new Map<string, string>();
  for (const item of input) {
    if (item.type === "result") answers.set(item, item.callId);
    if (!isOfTool(item)) continue;
    const named = textOf(item.value.call_id);
    if (!RESULT.test(item.kind)) last.set(item.kind, named ?? item.id ?? "");
    else answers.set(item, named ?? last.get(callTypeOf(item)) ?? "");
  }
  return answers;
}

const RESULT = /_call_output$|^tool_search_output$/;

/** The item of a call, or of its result, without the mark of who runs it. */
function callTypeOf({ kind }: PassthroughItem): string {
  return kind === "tool_search_output" ? "tool_search_call" : kind.replace(RESULT, "_call");
}

const isOfTool = (item: Item): item is PassthroughItem =>
  item.type === "foreign" && item.wire === "responses" &&
  (item.kind.startsWith("service:") || findByHostedItem(callTypeOf(item)) !== undefined);

interface ReplayOptions extends Pick<ReplayInput, "tools" | "endpoint"> {
  readonly answers: ReadonlyMap<Item, string>;
}

/** Results wait until all calls of their turn are there, as the model had made them. */
class Replay {
  readonly #tools: readonly Tool[];
  readonly #endpoint: Endpoint;
  readonly #items: Item[] = [];
  #results: ToolResultItem[] = [];
  /** Turn of the calls whose results wait. */
  #turn: string | undefined;
  /** Calls whose results are items of their own, and that were made calls of functions. */
  readonly #pending = new Map<string, ToolDefinition>();
  readonly #answers: ReadonlyMap<Item, string>;
  readonly #answered: ReadonlySet<string>;
  readonly #images = new ResultImages();

  constructor({ tools, endpoint, answers }: ReplayOptions) {
    this.#tools = tools;
    this.#endpoint = endpoint;
    this.#answers = answers;
    this.#answered = new Set(answers.values());
  }

  add(item: Item): void {
    if (!isOfTool(item)) {
      if (item.type !== "call") this.#flush();
      this.#items.push(item);
      return;
    }
    if (RESULT.test(item.kind)) return this.#addResult(item);
    this.#addCall(item);
  }

  end(): readonly Item[] {
    this.#flush();
    return this.#items;
  }

  #addCall(item: PassthroughItem): void {
    const definition = definitionOf(item);
    if (definition !== undefined && this.#isNative(definition)) {
      this.#flush();
      this.#items.push(nativeItem(item, definition));
      return;
    }
    const isHosted = !item.kind.startsWith("service:") && mcpFunction(item, this.#tools) === undefined;
    const call = isHosted && !isRunHere(item) && this.#endpoint.provider.wire === "responses"
      ? undefined
      : replayedCall(item, { definition, tools: this.#tools });
    if (call === undefined) {
      this.#flush();
      this.#items.push(item);
      return;
    }
    const turn = turnOf(item);
    if (turn !== this.#turn) this.#flush();
    this.#turn = turn;
    this.#items.push(call);
    const isAnswered = this.#answered.has(call.callId);
    if (definition !== undefined && (isAnswered || isAnsweredByItem(item, definition))) {
      this.#pending.set(call.callId, definition);
    } else this.#results.push(this.#resultOf(item, { call, definition }));
  }

  #resultOf(
    { value, textFallback }: PassthroughItem,
    { call: { callId }, definition }: ReplayedResultInput,
  ): ToolResultItem {
    const text = textOf(value.output) ?? definition?.outputOf?.(value) ?? textFallback ?? "";
    const images = takesImages(this.#endpoint) ? definition?.imagesOf?.(value) : [];
    return { type: "result", kind: "function", callId, output: this.#images.outputOf(text, images) };
  }

  /** Adds the client's result of a call that it has carried out. */
  #addResult(item: PassthroughItem): void {
    this.#flush();
    const callId = this.#answers.get(item) ?? "";
    const definition = this.#pending.get(callId);
    if (definition === undefined) {
      this.#items.push(item);
      return;
    }
    this.#pending.delete(callId);
    const { status, output } = item.value;
    const text = definition.outputOf?.(item.value) ??
      JSON.stringify({ status, ...(typeof output === "string" ? { output } : {}) });
    this.#items.push({ type: "result", kind: "function", callId, output: text });
  }

  #isNative({ kind, hosted, nativeAt }: ToolDefinition): boolean {
    if (hosted === undefined) return false;
    return this.#tools.some((tool) => {
      if (tool.type === "hosted") {
        return hosted.types.includes(tool.kind) && isNativeTool(tool, this.#endpoint);
      }
      return tool.type === "server" && tool.kind === kind &&
        nativeAt?.(this.#endpoint, tool.parameters)?.wire === "responses";
    });
  }

  #flush(): void {
    this.#items.push(...this.#results);
    this.#results = [];
    this.#turn = undefined;
  }
}

/** The client runs it. */
const isAnsweredByItem = (
  { value }: PassthroughItem,
  { run, runsHere, outputOf, kind: toolKind }: ToolDefinition,
): boolean =>
  (run === undefined && toolKind !== "mcp") ||
  (runsHere !== undefined && (textOf(value.output) ?? outputOf?.(value)) === undefined &&
    (toolKind !== "tool_search" || isClientSearch(value)));

/** Items of calls that the gateway ran have all of the call and of its result: those of providers do not. */
const isRunHere = ({ value }: PassthroughItem): boolean =>
  textOf(value.call_id) !== undefined && textOf(value.output) !== undefined;

function definitionOf(item: PassthroughItem): ToolDefinition | undefined {
  const kind = serviceKindOf(item.kind);
  return kind === undefined ? findByHostedItem(item.kind) : findServerTool(kind);
}

/** Ids of server tools' items end in the number of their turn and their place in it. */
function turnOf({ id = "" }: PassthroughItem): string {
  return id.slice(0, id.lastIndexOf("_"));
}

/** As the provider that has the tool itself knows it. */
function nativeItem(item: PassthroughItem, { hosted }: ToolDefinition): PassthroughItem {
  if (hosted === undefined || item.kind === hosted.itemType) return item;
  const { id: _ours, ...value } = item.value;
  return { ...item, kind: hosted.itemType, value: { ...value, type: hosted.itemType } };
}

interface ReplayedCallInput {
  readonly definition: ToolDefinition | undefined;
  readonly tools: readonly Tool[];
}

/** Undefined where the item does not say what was called. */
function replayedCall(
  item: PassthroughItem,
  { definition, tools }: ReplayedCallInput,
): ToolCallItem | undefined {
  const callId = textOf(item.value.call_id) ?? item.id;
  const text = argumentsOf(item, definition);
  if (callId === undefined || text === undefined) return undefined;
  const kind = definition?.kind ?? item.kind.slice("service:".length);
  const name = mcpFunction(item, tools)?.name ??
    nameOf({ kind, instance: textOf(item.value.instance_name) ?? "" }, tools);
  return { type: "call", kind: "function", callId, name, arguments: text };
}

/** The function that stands for the MCP server's tool that an item is a call of. */
function mcpFunction({ kind, value }: PassthroughItem, tools: readonly Tool[]): FunctionTool | undefined {
  if (kind !== "mcp_call") return undefined;
  return tools.filter((tool) => tool.type === "function").find(({ mcp }) =>
    mcp !== undefined && mcp.label === value.server_label && mcp.name === value.name
  );
}

function argumentsOf({ value }: PassthroughItem, definition: ToolDefinition | undefined): string | undefined {
  const given = textOf(value.arguments);
  if (given !== undefined && tryParseJson(given) !== undefined) return given;
  const derived = definition?.argumentsOf?.(value);
  if (derived !== undefined) return JSON.stringify(derived);
  return textOf(value.call_id) === undefined ? undefined : "{}";
}

interface ToolOfItem {
  readonly kind: string;
  readonly instance: string;
}

/** The name by which the model sees the tool now, else the one by which it saw it then. */
function nameOf({ kind, instance }: ToolOfItem, tools: readonly Tool[]): string {
  for (const tool of tools) {
    if (tool.type !== "server" && tool.type !== "hosted") continue;
    const definition = tool.type === "server" ? findServerTool(tool.kind) : findByHostedTool(tool);
    if (definition?.kind !== kind || tool.substitute === undefined) continue;
    const settings = tool.type === "server" ? tool.parameters : tool.value;
    if ((definition.instanceOf?.(settings) ?? instance) === instance) return tool.substitute.name;
  }
  return kind;
}

interface ReplayedResultInput {
  readonly call: ToolCallItem;
  readonly definition: ToolDefinition | undefined;
}
