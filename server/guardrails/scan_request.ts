/** The texts of a request: which of them are read, and whose they are. */

import { readMarkedReasoning } from "../canonical/encrypted_reasoning.ts";
import type { ContentPart, Item, MessageItem, ReasoningItem, TextPart } from "../canonical/item.ts";
import type { FunctionTool, ModelRequest, OutputFormat, Tool } from "../canonical/request.ts";
import type { Work } from "./text_scanner.ts";

/** How one text of a request is read; a place is told in words for people. */
export interface RequestReader {
  text(text: string, place: TextPlace): Work<string>;
  arguments(text: string, place: TextPlace): Work<string>;
  value<T>(value: T, place: TextPlace): Work<T>;
  /** A part that cannot be read: an image, audio, a file, encrypted reasoning. */
  skip(): void;
  /** What has been read of the request before, and what came of it: turns of a loop repeat everything. */
  known<T extends object>(value: T): T | undefined;
  remember<T extends object>(value: T, scanned: T): void;
  /** The same of a text that is not a user's. */
  rememberText(scanned: string): void;
}

export interface TextPlace {
  /** Such as `message 2 (user)`. */
  readonly name: string;
  readonly isUsers: boolean;
}

/** The request as it may go on: the same object where nothing is replaced. Throws what the reader throws. */
export function* scanRequest(request: ModelRequest, reader: RequestReader): Work<ModelRequest> {
  const changes: Partial<{ -readonly [K in keyof ModelRequest]: ModelRequest[K] }> = {};
  const { instructions, input, tools, format, extra, metadata, speech, imageConfig } = request;
  if (instructions !== undefined) {
    const scanned = yield* reader.text(instructions, place("instructions"));
    reader.rememberText(scanned);
    if (scanned !== instructions) changes.instructions = scanned;
  }
  const items = yield* scanAll(input, (item, position) => scanItemOnce(item, { reader, position }));
  if (items !== input) changes.input = items;
  const offered = yield* scanAll(tools, (tool) => scanOnce(tool, { reader, scan: scanTool }));
  if (offered !== tools) changes.tools = offered;
  const answer = yield* scanOnce(format, { reader, scan: scanFormat });
  if (answer !== format) changes.format = answer;
  const readExtra = extra && (yield* scanOnce(extra, { reader, scan: scanOther }));
  if (readExtra !== extra) changes.extra = readExtra;
  const readMetadata = metadata && (yield* scanOnce(metadata, { reader, scan: scanOther }));
  if (readMetadata !== metadata) changes.metadata = readMetadata;
  const readConfig = imageConfig && (yield* scanOnce(imageConfig, { reader, scan: scanOther }));
  if (readConfig !== imageConfig) changes.imageConfig = readConfig;
  if (speech !== undefined) {
    const options = yield* reader.value(speech.options, place("provider options"));
    if (options !== speech.options) changes.speech = { ...speech, options };
    if (speech.reference !== undefined) reader.skip();
  }
  return Object.keys(changes).length === 0 ? request : { ...request, ...changes };
}

const scanOther = <T extends object>(value: T, reader: RequestReader): Work<T> =>
  reader.value(value, place("other fields"));

const place = (name: string, isUsers = false): TextPlace => ({ name, isUsers });

function* scanAll<T>(
  values: readonly T[],
  scan: (value: T, position: number) => Work<T>,
): Work<readonly T[]> {
  let scanned: T[] | undefined;
  for (const [position, value] of values.entries()) {
    const one = yield* scan(value, position);
    if (one !== value && scanned === undefined) scanned = values.slice(0, position);
    scanned?.push(one);
  }
  return scanned ?? values;
}

interface OnceInput<T> {
  readonly reader: RequestReader;
  readonly scan: (value: T, reader: RequestReader) => Work<T>;
}

function* scanOnce<T extends object>(value: T, { reader, scan }: OnceInput<T>): Work<T> {
  const known = reader.known(value);
  if (known !== undefined) return known;
  const scanned = yield* scan(value, reader);
  reader.remember(value, scanned);
  return scanned;
}

interface ItemInput {
  readonly reader: RequestReader;
  /** In the request's input, from 0. */
  readonly position: number;
}

const scanItemOnce = (item: Item, { reader, position }: ItemInput): Work<Item> =>
  scanOnce(item, { reader, scan: (one) => scanItem(one, { reader, position }) });

/** One item of a conversation, as it may go on. */
export function* scanItem(item: Item, { reader, position }: ItemInput): Work<Item> {
  const number = position + 1;
  const extra = yield* reader.value(item.extra, place(`item ${number}`));
  const own = extra === item.extra ? item : { ...item, extra };
  switch (own.type) {
    case "message":
      return yield* scanMessage(own, { reader, position });
    case "reasoning":
      return yield* scanReasoning(own, { reader, position });
    case "call": {
      const where = place(`item ${number} (call of ${own.name})`);
      const text = own.kind === "function"
        ? yield* reader.arguments(own.arguments, where)
        : yield* reader.text(own.arguments, where);
      return text === own.arguments ? own : { ...own, arguments: text };
    }
    case "result": {
      const where = place(`item ${number} (result of a tool)`);
      const output = typeof own.output === "string"
        ? yield* reader.text(own.output, where)
        : yield* scanParts(own.output, { reader, where });
      return output === own.output ? own : { ...own, output };
    }
    case "foreign": {
      const { value, textFallback, call } = own;
      const where = place(`item ${number} (${own.kind})`);
      const scanned = yield* reader.value({ value, textFallback, call: call && { ...call } }, where);
      const isCallSame = JSON.stringify(scanned.call) === JSON.stringify(call);
      if (scanned.value === value && scanned.textFallback === textFallback && isCallSame) return own;
      return { ...own, value: scanned.value, textFallback: scanned.textFallback, call: scanned.call };
    }
    default:
      return own satisfies never;
  }
}

/** A signature is of the texts as they were: changed ones have none, and what has them inside goes as well. */
function* scanReasoning(item: ReasoningItem, { reader, position }: ItemInput): Work<ReasoningItem> {
  const read = (text: string) => reader.text(text, place(`item ${position + 1} (reasoning)`));
  const content = yield* scanAll(item.content, read);
  const summary = yield* scanAll(item.summary, read);
  const isChanged = content !== item.content || summary !== item.summary;
  const scanned = isChanged ? { ...item, content, summary, signature: undefined } : item;
  if (item.encrypted === undefined) return scanned;
  const inside = readMarkedReasoning(item.encrypted);
  if (inside === undefined) {
    reader.skip();
    return scanned;
  }
  const texts = [...inside.content, ...inside.summary];
  return (yield* scanAll(texts, read)) === texts
    ? scanned
    : { ...scanned, signature: undefined, encrypted: undefined };
}

function* scanMessage(item: MessageItem, { reader, position }: ItemInput): Work<MessageItem> {
  const where = place(`message ${position + 1} (${item.role})`, item.role === "user");
  const parts = yield* scanParts(item.parts, { reader, where });
  return parts === item.parts ? item : { ...item, parts };
}

interface PartsInput {
  readonly reader: RequestReader;
  readonly where: TextPlace;
}

const scanParts = (
  parts: readonly ContentPart[],
  { reader, where }: PartsInput,
): Work<readonly ContentPart[]> => scanAll(parts, (part) => scanPart(part, { reader, where }));

function* scanPart(part: ContentPart, { reader, where }: PartsInput): Work<ContentPart> {
  const extra = yield* reader.value(part.extra, where);
  const own = extra === part.extra ? part : { ...part, extra };
  if (own.type === "text") return yield* scanTextPart(own, { reader, where });
  if (own.type === "refusal") {
    const text = yield* reader.text(own.text, where);
    return text === own.text ? own : { ...own, text };
  }
  reader.skip();
  if (own.type !== "file" || own.filename === undefined) return own;
  const filename = yield* reader.text(own.filename, where);
  return filename === own.filename ? own : { ...own, filename };
}

/** Of a text that is changed the likelihoods of its tokens are dropped, and so are places in it. */
function* scanTextPart(part: TextPart, { reader, where }: PartsInput): Work<TextPart> {
  const text = yield* reader.text(part.text, where);
  const annotations = yield* reader.value(part.annotations, where);
  if (text !== part.text) return { ...part, text, annotations: undefined, logprobs: undefined };
  return annotations === part.annotations ? part : { ...part, annotations };
}

function* scanTool(tool: Tool, reader: RequestReader): Work<Tool> {
  switch (tool.type) {
    case "function":
      return yield* scanFunction(tool, reader);
    case "custom": {
      const { description, format } = tool;
      const scanned = yield* reader.value({ description, format }, place(`tool ${tool.name}`));
      return scanned.description === description && scanned.format === format
        ? tool
        : { ...tool, ...scanned };
    }
    case "namespace": {
      const description = yield* reader.value(tool.description, place(`tools ${tool.name}`));
      const tools = yield* scanAll(tool.tools, (one) => scanNested(one, reader));
      return description === tool.description && tools === tool.tools
        ? tool
        : { ...tool, description, tools };
    }
    case "hosted":
    case "server": {
      const { substitute } = tool;
      const offered = substitute && (yield* scanFunction(substitute, reader));
      return yield* scanSettings(offered === substitute ? tool : { ...tool, substitute: offered }, reader);
    }
    default:
      return tool satisfies never;
  }
}

function* scanNested(
  tool: Extract<Tool, { type: "function" | "custom" }>,
  reader: RequestReader,
): Work<typeof tool> {
  const scanned = yield* scanTool(tool, reader);
  return scanned.type === "function" || scanned.type === "custom" ? scanned : tool;
}

function* scanFunction(tool: FunctionTool, reader: RequestReader): Work<FunctionTool> {
  const { description, parameters } = tool;
  const scanned = yield* reader.value({ description, parameters }, place(`tool ${tool.name}`));
  return scanned.description === description && scanned.parameters === parameters
    ? tool
    : { ...tool, ...scanned };
}

/** Credentials of the caller's for servers of its own: what a filter for secrets would take away. */
const credentials: ReadonlySet<string> = new Set(["authorization", "headers"]);

type SettingsTool = Extract<Tool, { type: "hosted" | "server" }>;

function* scanSettings(tool: SettingsTool, reader: RequestReader): Work<SettingsTool> {
  const settings = tool.type === "hosted" ? tool.value : tool.parameters;
  const read = Object.fromEntries(Object.entries(settings).filter(([name]) => !credentials.has(name)));
  const scanned = yield* reader.value(read, place(`tool ${tool.kind}`));
  if (scanned === read) return tool;
  const changed = { ...settings, ...scanned };
  return tool.type === "hosted" ? { ...tool, value: changed } : { ...tool, parameters: changed };
}

function* scanFormat(format: OutputFormat, reader: RequestReader): Work<OutputFormat> {
  if (format.type !== "json_schema") return format;
  const { description, schema } = format;
  const scanned = yield* reader.value({ description, schema }, place("output format"));
  return scanned.description === description && scanned.schema === schema
    ? format
    : { ...format, ...scanned };
}
