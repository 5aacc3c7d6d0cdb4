/** Bodies that have one text in one place, with what each API asks for besides. */

import { isRecord } from "../../../shared/util/json.ts";
import type { ModelApi } from "../../../server/management/core/management_deps.ts";

type Body = Readonly<Record<string, unknown>>;

const image = "data:image/png;base64,iVBORw0KGgo=";

/** Fields of which one must be there, by the type of the object. */
const oneOf: ReadonlyMap<unknown, readonly [fields: readonly string[], sample: Body]> = new Map<
  unknown,
  readonly [readonly string[], Body]
>([
  ["input_image", [["image_url", "file_id"], { image_url: image }]],
  ["input_file", [["file_data", "file_url", "file_id"], { file_url: "https://example.org/a.pdf" }]],
]);

function completeParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(completeParts);
  if (!isRecord(value)) return value;
  const fields = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, completeParts(field)]),
  );
  const missing = oneOf.get(value.type);
  const isMissing = missing !== undefined && missing[0].every((name) => typeof value[name] !== "string");
  const completed = isMissing ? { ...fields, ...missing[1] } : fields;
  if (value.type !== "file" || !isRecord(completed.file)) return completed;
  const { file_data, file_id, file_url } = completed.file;
  const hasFile = [file_data, file_id, file_url].some((one) => typeof one === "string");
  return hasFile
    ? completed
    : { ...completed, file: { ...completed.file, file_url: "https://example.org/a.pdf" } };
}

const user = { role: "user", content: "Hi" };

function completeResponses(body: Body): Body {
  if (!Array.isArray(body.input)) return { input: "Hi", ...body };
  const input = body.input.flatMap((item: unknown): readonly unknown[] => {
    if (!isRecord(item)) return [item];
    if (typeof item.type === "string" && item.type.endsWith("_output")) return [callOf(item), item];
    return [item.type === undefined ? { role: "user", ...item } : item];
  });
  return { ...body, input: [user, ...input] };
}

/** Makes the call that an output answers. */
function callOf({ type, call_id, id }: Body): Body {
  const kind = type === "function_call_output" ? "function_call" : String(type).replace(/_output$/, "");
  const action = { commands: ["ls"], command: ["ls"] };
  const operation = { type: "delete_file", path: "a" };
  const call = {
    type: kind,
    call_id: call_id ?? id,
    name: "f",
    arguments: "{}",
    input: "",
    action,
    operation,
  };
  return kind === "tool_search_call" || kind === "program" ? { type: kind, call_id: call.call_id } : call;
}

function completeChat(body: Body): Body {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const calls = messages.filter(isRecord).filter(({ role }) => role === "tool").map((
    { tool_call_id: id },
  ) => ({
    role: "assistant",
    tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
  }));
  return { ...body, messages: [user, ...calls, ...messages] };
}

function completeMessages(body: Body): Body {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const blocks = messages.flatMap(({ content }) => Array.isArray(content) ? content.filter(isRecord) : []);
  const calls = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "f", input: {} }],
  }));
  return { ...body, max_tokens: 10, messages: [user, ...calls, ...messages] };
}

const completed: { readonly [A in ModelApi]: (body: Body) => Body } = {
  responses: completeResponses,
  chat: completeChat,
  messages: completeMessages,
  speech: (body) => ({ model: "x", input: "Hi", ...body }),
  embeddings: (body) => ({ model: "x", input: "Hi", ...body }),
};

export function completeBody(api: ModelApi, body: unknown): Body {
  const parts = completeParts(body);
  return completed[api](isRecord(parts) ? parts : {});
}
