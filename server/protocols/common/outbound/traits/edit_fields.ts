/** Fields of a chat body that some hosts refuse: those that only OpenAI, or nobody yet, publishes. */

import { isRecord } from "../../../../../shared/util/json.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { EditableCall, TraitContext } from "./trait_rule.ts";

/** Keys that an object may have → the same of what stands there; null: whatever it is. */
interface Shape {
  readonly [key: string]: Shape | null;
}

const contentPart: Shape = {
  type: null,
  text: null,
  image_url: { url: null, detail: null },
  input_audio: { data: null, format: null },
  file: null,
  video_url: null,
};

const toolCall: Shape = { id: null, type: null, function: { name: null, arguments: null } };

const message: Shape = {
  role: null,
  content: contentPart,
  name: null,
  tool_calls: toolCall,
  tool_call_id: null,
  prefix: null,
};

/** The parts of a body whose insides clients of the same wire may write. */
const shapes = {
  tools: {
    type: null,
    function: { name: null, description: null, parameters: null, strict: null },
  },
  tool_choice: { type: null, function: null },
  response_format: {
    type: null,
    json_schema: { name: null, description: null, schema: null, strict: null },
  },
  stream_options: { include_usage: null },
} satisfies { readonly [key: string]: Shape };

/** So many fields are named, of so many characters each: clients choose the names. */
const MOST = 20;
const LONGEST = 64;

interface Pruning {
  readonly shape: Shape;
  readonly note: (key: string) => void;
}

/** The value without the keys that its shape does not have; the value itself where there are none. */
function prune(value: unknown, pruning: Pruning): unknown {
  if (Array.isArray(value)) {
    const all = value.map((one) => prune(one, pruning));
    return all.every((one, at) => one === value[at]) ? value : all;
  }
  if (!isRecord(value)) return value;
  const { shape, note } = pruning;
  let pruned: Record<string, unknown> | undefined;
  for (const key in value) {
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined;
    const kept = inner === undefined || inner === null
      ? value[key]
      : prune(value[key], { shape: inner, note });
    if (inner === undefined) note(key);
    if (inner !== undefined && kept === value[key]) continue;
    pruned ??= { ...value };
    if (inner === undefined) delete pruned[key];
    else pruned[key] = kept;
  }
  return pruned ?? value;
}

/** Messages, parts, calls, tools and options with the fields that every host publishes. */
export function withPublishedFields(call: EditableCall, { endpoint, note }: TraitContext): EditableCall {
  const { reasoningReplay } = endpoint;
  const ofMessages: Shape = reasoningReplay === undefined ? message : { ...message, [reasoningReplay]: null };
  let named = 0;
  let body: JsonObject = call.body;
  for (const [place, shape] of Object.entries({ messages: ofMessages, ...shapes })) {
    const before = place === "messages" ? "input" : place;
    const add = (key: string) => {
      if (named++ < MOST) note(`${before}.${key.slice(0, LONGEST)}`);
    };
    const kept = prune(body[place], { shape, note: add });
    if (kept !== body[place]) body = { ...body, [place]: kept };
  }
  return body === call.body ? call : { ...call, body };
}

/** Nobody is named as the one who speaks; a tool's message may have its tool's name. */
export function withoutNames(call: EditableCall, { note }: TraitContext): EditableCall {
  const { messages } = call.body;
  if (!Array.isArray(messages)) return call;
  const unnamed = messages.map((message: unknown) => {
    if (!isRecord(message) || message.name === undefined || message.role === "tool") return message;
    const { name: _, ...rest } = message;
    note("input.name");
    return rest;
  });
  return unnamed.every((message, at) => message === messages[at])
    ? call
    : { ...call, body: { ...call.body, messages: unnamed } };
}
