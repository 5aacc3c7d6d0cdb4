/** The fields of a request: what each of them holds, and the pieces in which a request is read. */

import type { Item } from "../../../protocols/canonical/item.ts";
import type {
  CustomTool,
  CustomToolFormat,
  EndUser,
  FunctionTool,
  HostedTool,
  ModelRequest,
  NamespaceTool,
  OutputFormat,
  SamplingOptions,
  ServerTool,
  Tool,
  ToolChoice,
  ToolReference,
} from "../../../protocols/canonical/request.ts";
import type { EmbeddingOptions } from "../../../protocols/canonical/embeddings.ts";
import type { SpeechOptions, VoiceReference } from "../../../protocols/canonical/speech.ts";
import { item } from "./item_shapes.ts";
import { cache, closed, extra } from "./part_shapes.ts";
import {
  anyValue,
  hidden,
  identifier,
  listOf,
  media,
  objectOf,
  type Shape,
  text,
  tokens,
  typed,
  wireObject,
} from "./shape.ts";
import { hostedTool } from "./wire_shapes.ts";

const gatewayOnly = hidden("says how the gateway works; no provider sees it");
const number = hidden("a number");

const functionTool = objectOf<FunctionTool>({
  type: closed,
  name: identifier,
  description: text,
  parameters: anyValue,
  strict: closed,
  deferLoading: closed,
  mcp: hidden("set by the gateway, of names that are read for themselves"),
  extra,
});

const format = typed({
  grammar: objectOf<Extract<CustomToolFormat, { type: "grammar" }>>({
    type: closed,
    syntax: closed,
    definition: text,
  }),
}, anyValue);

const customTool = objectOf<CustomTool>({ type: closed, name: identifier, description: text, format, extra });

const tool: Shape = typed(
  {
    function: functionTool,
    custom: customTool,
    namespace: objectOf<NamespaceTool>({
      type: closed,
      name: identifier,
      description: text,
      tools: listOf(typed({ function: functionTool, custom: customTool }, anyValue)),
      extra,
    }),
    hosted: objectOf<HostedTool>({
      type: closed,
      wire: closed,
      kind: closed,
      value: hostedTool,
      substitute: functionTool,
      isByClient: closed,
      isOnlyOurs: closed,
      found: hidden("set by the gateway, of items that are read for themselves"),
    }),
    server: objectOf<ServerTool>({
      type: closed,
      kind: closed,
      originalType: closed,
      parameters: hostedTool,
      substitute: functionTool,
      onlyForRouter: closed,
    }),
  } satisfies { readonly [T in Tool["type"]]: Shape },
  anyValue,
);

const reference = objectOf<ToolReference>({ kind: closed, name: identifier, namespace: identifier });

type ChoiceOf<T extends ToolChoice["type"]> = Extract<ToolChoice, { type: T }>;
const word = objectOf<ChoiceOf<"auto">>({ type: closed });

const toolChoice: Shape = typed(
  {
    auto: word,
    none: word,
    required: word,
    named: objectOf<ChoiceOf<"named">>({ type: closed, tool: reference }),
    hosted: objectOf<ChoiceOf<"hosted">>({ type: closed, kind: closed, value: hostedTool }),
    allowed: objectOf<ChoiceOf<"allowed">>({
      type: closed,
      mode: closed,
      tools: listOf(reference),
      value: hostedTool,
    }),
  } satisfies { readonly [T in ToolChoice["type"]]: Shape },
  anyValue,
);

const outputFormat: Shape = typed({
  text: objectOf<Extract<OutputFormat, { type: "text" }>>({ type: closed }),
  json_object: objectOf<Extract<OutputFormat, { type: "json_object" }>>({ type: closed }),
  json_schema: objectOf<Extract<OutputFormat, { type: "json_schema" }>>({
    type: closed,
    name: identifier,
    schema: anyValue,
    description: text,
    strict: closed,
  }),
}, anyValue);

const speech: Shape = objectOf<SpeechOptions>({
  voice: text,
  customVoice: closed,
  format: closed,
  events: closed,
  speed: number,
  reference: objectOf<VoiceReference>({ data: media, mediaType: closed, seconds: number }),
  options: anyValue,
});

const embeddings: Shape = objectOf<EmbeddingOptions>({ dimensions: number, inputType: text });

const sampling: Shape = objectOf<SamplingOptions>({
  temperature: number,
  topP: number,
  topK: number,
  frequencyPenalty: number,
  presencePenalty: number,
  topLogprobs: number,
  minP: number,
  topA: number,
  repetitionPenalty: number,
  seed: number,
  logitBias: tokens,
});

/** Anonymous outside of the gateway. */
const endUser: Shape = objectOf<EndUser>({ user: gatewayOnly, safetyIdentifier: gatewayOnly });

interface FieldShape {
  readonly shape: Shape;
  /** For people, such as `tool f`. */
  readonly name: (value: unknown, position: number) => string;
}

const fieldOf = (shape: Shape, name: string): FieldShape => ({ shape, name: () => name });
const unread = (reason: string): FieldShape => fieldOf(hidden(reason), "");
const ofGateway: FieldShape = fieldOf(gatewayOnly, "");
const numbers = unread("numbers");
const other = "other fields";

/** Every field of a request, in the order in which they are read. */
const requestFields: { readonly [K in keyof ModelRequest]-?: FieldShape } = {
  instructions: fieldOf(text, "instructions"),
  input: { shape: item, name: (value, position) => itemName(toItem(value), position + 1) },
  tools: { shape: tool, name: (value) => toolName(toTool(value)) },
  toolChoice: fieldOf(toolChoice, "tool choice"),
  format: fieldOf(outputFormat, "output format"),
  stop: fieldOf(text, "stop"),
  extra: fieldOf(extra, other),
  metadata: fieldOf(anyValue, other),
  imageConfig: fieldOf(anyValue, other),
  speech: fieldOf(speech, "provider options"),
  embeddings: fieldOf(embeddings, other),
  promptCacheKey: fieldOf(text, "prompt cache key"),
  promptCacheOptions: fieldOf(anyValue, other),
  plugins: fieldOf(wireObject(), "plugins"),
  knownFiles: unread("put in the place of files, and read there"),
  model: unread("chosen from the catalog"),
  models: unread("chosen from the catalog"),
  parallelToolCalls: numbers,
  maxOutputTokens: numbers,
  sampling: fieldOf(sampling, other),
  reasoning: unread("a few words of the API"),
  verbosity: unread("a few words of the API"),
  modalities: unread("a few words of the API"),
  stream: numbers,
  include: unread("a few words of the API"),
  serviceTier: unread("a few words of the API"),
  truncation: unread("a few words of the API"),
  cache: fieldOf(cache, other),
  endUser: fieldOf(endUser, other),
  sessionId: ofGateway,
  answeredBy: ofGateway,
  task: ofGateway,
  maxToolCalls: numbers,
  stopWhen: ofGateway,
  provider: ofGateway,
  trace: ofGateway,
  echoUpstreamBody: numbers,
  betas: unread("names of functions of a provider"),
  dropped: ofGateway,
};

/** The table above gives each name its own field's values. */
const toItem = (value: unknown) => value as Item;
const toTool = (value: unknown) => value as Tool;

function itemName(item: Item, number: number): string {
  switch (item.type) {
    case "message":
      return `message ${number} (${item.role})`;
    case "reasoning":
      return `item ${number} (reasoning)`;
    case "call":
      return `item ${number} (call of ${item.name})`;
    case "result":
      return `item ${number} (result of a tool)`;
    case "foreign":
      return `item ${number} (${item.kind})`;
    default:
      return item satisfies never;
  }
}

const toolName = (tool: Tool) => "kind" in tool ? `tool ${tool.kind}` : `tool ${tool.name}`;

/** A piece of a request that is read for itself. */
export interface RequestPiece {
  readonly field: keyof ModelRequest;
  /** In a list that is read one by one. */
  readonly position: number | undefined;
  readonly value: unknown;
  readonly shape: Shape;
  readonly name: string;
  /** True for a piece of a user's message. */
  readonly isUsers: boolean;
}

const readFields = asFields(Object.keys(requestFields)).filter((field) =>
  requestFields[field].shape.kind !== "hidden"
);

/** They are the names of the table's own fields. */
function asFields(names: readonly string[]): readonly (keyof ModelRequest)[] {
  return names as unknown as readonly (keyof ModelRequest)[];
}

/** The pieces of a request in which texts may stand. */
export function* requestPieces(request: ModelRequest): Generator<RequestPiece> {
  for (const field of readFields) {
    const value = request[field];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (const [position, one] of value.entries()) yield pieceOf(one, { field, position });
    } else yield pieceOf(value, { field, position: undefined });
  }
}

function pieceOf(
  value: unknown,
  { field, position }: Pick<RequestPiece, "field" | "position">,
): RequestPiece {
  const { shape, name } = requestFields[field];
  const isUsers = field === "input" && isUserMessage(toItem(value));
  return { field, position, value, shape, name: name(value, position ?? 0), isUsers };
}

const isUserMessage = (item: Item) => item.type === "message" && item.role === "user";

/** The request with other pieces; the same one where there are none. */
export function withPieces(
  request: ModelRequest,
  changed: ReadonlyMap<RequestPiece, unknown>,
): ModelRequest {
  if (changed.size === 0) return request;
  const fields: Record<string, unknown> = {};
  for (const [{ field, position }, value] of changed) {
    if (position === undefined) fields[field] = value;
    else {
      const list = Object.hasOwn(fields, field) ? fields[field] : [...toList(request[field])];
      toList(list)[position] = value;
      fields[field] = list;
    }
  }
  return { ...request, ...fields };
}

/** Pieces with a position stand in lists. */
const toList = (value: unknown) => value as unknown[];
