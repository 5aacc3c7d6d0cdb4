/** Edits of a call that has been rendered: keys and marks that some hosts of a wire refuse or demand. */

import { isRecord } from "../../../../../shared/util/json.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { EditableCall, TraitContext } from "./trait_rule.ts";

const recordsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The messages of a chat body, each edited. */
function editMessages(
  call: EditableCall,
  edit: (message: JsonObject, place: { readonly isLast: boolean }) => JsonObject,
): EditableCall {
  const messages = recordsIn(call.body.messages);
  const edited = messages.map((message, at) => edit(message, { isLast: at === messages.length - 1 }));
  return edited.every((message, at) => message === messages[at])
    ? call
    : { ...call, body: { ...call.body, messages: edited } };
}

/** Puts a text in the place of thoughts that were not kept, where a message calls tools. */
export const withCallReasoning = (text: string) => (call: EditableCall): EditableCall =>
  editMessages(call, (message) => {
    const lacks = message.tool_calls !== undefined && (message.reasoning_content ?? "") === "";
    return lacks ? { ...message, reasoning_content: text } : message;
  });

/** The assistant says a word between a tool's message and the user's. */
export function withAnsweredTools(call: EditableCall): EditableCall {
  const messages = recordsIn(call.body.messages);
  const answered = messages.flatMap((message, at) =>
    message.role === "user" && messages[at - 1]?.role === "tool" ? [ACKNOWLEDGED, message] : [message]
  );
  return answered.length === messages.length ? call : { ...call, body: { ...call.body, messages: answered } };
}

const ACKNOWLEDGED: JsonObject = { role: "assistant", content: "OK." };

/** The assistant's last message is the beginning of the answer. */
export const withPrefixMark = (call: EditableCall): EditableCall =>
  editMessages(
    call,
    (message, { isLast }) =>
      isLast && message.role === "assistant" && message.tool_calls === undefined
        ? { ...message, prefix: true }
        : message,
  );

/** Leaves out Google's signatures of calls: they are noise to others, and a key that some of them refuse. */
export const withoutCallSignatures = (call: EditableCall): EditableCall =>
  editMessages(call, (message) => {
    const calls = recordsIn(message.tool_calls);
    if (!calls.some(({ extra_content: signed }) => signed !== undefined)) return message;
    return { ...message, tool_calls: calls.map(({ extra_content: _, ...rest }) => rest) };
  });

/** Calls and their answers belong together by their order. */
export function withoutCallIds(call: EditableCall): EditableCall {
  const contents = recordsIn(call.body.contents).map((content) => ({
    ...content,
    parts: recordsIn(content.parts).map(withoutPartId),
  }));
  return { ...call, body: { ...call.body, contents } };
}

const withId = ["functionCall", "functionResponse"] as const;

function withoutPartId(part: JsonObject): JsonObject {
  const key = withId.find((one) => part[one] !== undefined);
  const inside = key === undefined ? undefined : part[key];
  if (key === undefined || !isRecord(inside)) return part;
  const { id: _, ...rest } = inside;
  return { ...part, [key]: rest };
}

/** The breakpoint of the whole request stands on its last block, where it would have been set. */
export function withBlockMarks(call: EditableCall): EditableCall {
  const { cache_control: control, ...body } = call.body;
  if (control === undefined) return call;
  const messages = recordsIn(body.messages);
  const last = messages.at(-1);
  const content = recordsIn(last?.content);
  const at = content.findLastIndex(({ type }) => !/thinking$/.test(String(type)));
  const block = content[at];
  if (last === undefined || block === undefined) return { ...call, body };
  const marked = [...content.slice(0, at), { cache_control: control, ...block }, ...content.slice(at + 1)];
  return { ...call, body: { ...body, messages: [...messages.slice(0, -1), { ...last, content: marked }] } };
}

/** Betas by name → what the host calls them; it refuses every other. */
export const withKnownBetas =
  (known: ReadonlyMap<string, string>) => (call: EditableCall, { note }: TraitContext): EditableCall => {
    const { "anthropic-beta": betas, ...headers } = call.headers ?? {};
    if (betas === undefined) return call;
    const names = betas.split(",");
    const kept = names.flatMap((name) => known.get(name) ?? []);
    names.filter((name) => !known.has(name)).forEach((name) => note(`x-anthropic-beta ${name}`));
    return {
      ...call,
      headers: kept.length === 0 ? headers : { ...headers, "anthropic-beta": kept.join(",") },
    };
  };

/** The second document of a name is called `name (2)`. */
export function withUniqueDocuments(call: EditableCall): EditableCall {
  const taken = new Set<string>();
  const messages = recordsIn(call.body.messages).map((message) => ({
    ...message,
    content: recordsIn(message.content).map((block) => uniqueDocument(block, taken)),
  }));
  return taken.size === 0 ? call : { ...call, body: { ...call.body, messages } };
}

function uniqueDocument(block: JsonObject, taken: Set<string>): JsonObject {
  if (isRecord(block.document)) {
    return { document: { ...block.document, name: freeName(String(block.document.name), taken) } };
  }
  if (!isRecord(block.toolResult)) return block;
  const content = recordsIn(block.toolResult.content).map((inner) => uniqueDocument(inner, taken));
  return { toolResult: { ...block.toolResult, content } };
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let round = 2; taken.has(free); round++) free = `${name.slice(0, 190)} (${round})`;
  taken.add(free);
  return free;
}
