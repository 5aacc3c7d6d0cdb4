/** The operations that MCP clients see as tools: what each is called with, and the request of the API that it stands for. */

import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { managementApi, type OperationId } from "../../../shared/management/api.ts";
import type { ManagementOperation } from "../../../shared/management/operation.ts";
import type { Caller, KeyKind } from "../../../shared/keys.ts";
import { isRecord } from "../../../shared/util/json.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";

type Method = ManagementOperation["method"];

interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Kinds of keys that are offered it. */
  readonly who: readonly KeyKind[];
  readonly method: Method;
  /** As the API's table has it, below `/v1`. */
  readonly path: string;
  /** JSON schemas of the arguments, by where they go. */
  readonly params?: JsonObject;
  readonly query?: JsonObject;
  readonly body?: BodySchema;
  readonly required?: readonly string[];
  /** A list, of which a model gets few items unless it asks for more. */
  readonly few?: true;
  readonly hints?: { readonly destructiveHint: boolean; readonly idempotentHint: boolean };
}

interface BodySchema {
  readonly properties: JsonObject;
  /** Whether the body may have more than these. */
  readonly open?: true;
}

/** Items of a list where a client does not say how many: a model reads all of them. */
const FEW = { limit: "20" };

const text = (description: string) => ({ type: "string", description });
const hash = text("Hash of the API key, as list and create show it.");

interface FromOperation extends Pick<McpTool, "name" | "title" | "params" | "required" | "few" | "hints"> {
  readonly who?: readonly KeyKind[];
  /** Fields of the body; absent: all. */
  readonly fields?: readonly string[];
}

/** A row of the table of operations. */
function fromOperation(id: OperationId, { who, fields, ...more }: FromOperation): McpTool {
  const row: ManagementOperation = managementApi[id];
  const { method, path, summary } = row;
  const body = propertiesOf(row.body);
  return {
    ...more,
    method,
    path,
    description: summary,
    who: who ?? row.who,
    query: propertiesOf(row.query),
    body: body && { properties: fields === undefined ? body : pick(body, fields) },
  };
}

function propertiesOf(
  schema: ManagementOperation["query"] | ManagementOperation["body"],
): JsonObject | undefined {
  if (schema === undefined || schema === "multipart") return undefined;
  const { properties } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return isRecord(properties) ? properties : undefined;
}

const pick = (properties: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => names.includes(name)));

/** Read tools first. */
const tools: readonly McpTool[] = [
  {
    name: "list_models",
    title: "List models",
    description: "Lists the models that the key may use, with context, prices and parameters.",
    who: ["api", "management"],
    method: "GET",
    path: "/models/user",
    query: {
      q: text("Words of the model's name."),
      limit: { type: "integer", minimum: 1, maximum: 1_000, description: "20 unless set." },
      offset: { type: "integer", minimum: 0 },
      input_modalities: text("A comma-separated list: text, image, file, audio, video."),
      output_modalities: text("A comma-separated list: text, image, audio, speech."),
      supported_parameters: text("A comma-separated list, such as tools,reasoning."),
    },
    few: true,
  },
  {
    name: "get_model",
    title: "Show model",
    description: "Shows one model: context, modalities, prices, parameters.",
    who: ["api", "management"],
    method: "GET",
    path: "/model/*",
    params: { model: text("Id of the model, as list_models shows it: author/slug.") },
    required: ["model"],
  },
  {
    name: "explain_route",
    title: "Explain route",
    description:
      "Says which endpoints a request would be sent to, in which order, what removed the others, and " +
      "what would be reserved. Takes the body of POST /v1/responses. No model is called.",
    who: ["api"],
    method: "POST",
    path: "/route/explain",
    body: {
      properties: {
        model: text("Id of the model, or of a router."),
        input: { description: "A text, or a list of items.", type: ["string", "array"] },
        models: { type: "array", items: { type: "string" }, description: "Models to try in order." },
        provider: { type: "object", description: "Preferences of providers." },
      },
      open: true,
    },
    required: ["input"],
  },
  fromOperation("key.usage", { name: "get_key_usage", title: "Show own usage", who: ["api"] }),
  fromOperation("keys.usage", {
    name: "get_key_usage",
    title: "Show a key's usage",
    params: { hash },
    required: ["hash"],
  }),
  fromOperation("receipts.list", { name: "list_receipts", title: "List receipts", few: true }),
  fromOperation("generations.get", { name: "get_receipt", title: "Show receipt", required: ["id"] }),
  fromOperation("activity.list", { name: "activity", title: "Show activity" }),
  fromOperation("keys.create", {
    name: "create_key",
    title: "Create API key",
    who: ["management"],
    fields: [
      ...["name", "limit", "limit_reset", "include_byok_in_limit", "cache_enabled", "cache_ttl_seconds"],
      ...["expires_at", "workspace_id"],
    ],
    required: ["name"],
    hints: { destructiveHint: false, idempotentHint: false },
  }),
  fromOperation("keys.update", {
    name: "update_key",
    title: "Update API key",
    who: ["management"],
    params: { hash },
    required: ["hash"],
    hints: { destructiveHint: true, idempotentHint: true },
  }),
  fromOperation("workspaces.delete", {
    name: "delete_workspace",
    title: "Delete workspace",
    params: { id: text("UUID or slug of the workspace.") },
    required: ["id"],
    hints: { destructiveHint: true, idempotentHint: true },
  }),
];

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

/** The tools of a caller: a management key that may only look is offered none that writes. */
function toolsOf(caller: Caller): readonly McpTool[] {
  const looksOnly = caller.kind === "management" && caller.readOnly === true;
  return tools.filter(({ who, hints }) => who.includes(caller.kind) && !(looksOnly && hints !== undefined));
}

/** The tools of a caller, as MCP describes them. */
export const describeTools = (caller: Caller): Tool[] =>
  toolsOf(caller).map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: asInputSchema({
      type: "object",
      properties: { ...tool.params, ...tool.query, ...tool.body?.properties },
      required: [...tool.required ?? []],
      additionalProperties: tool.body?.open === true,
    }),
    annotations: {
      title: tool.title,
      openWorldHint: false,
      ...(tool.hints ? { readOnlyHint: false, ...tool.hints } : READS),
    },
  }));

/** Casts what `z.toJSONSchema` made, and literals of this file: they are JSON. */
const asInputSchema = (schema: JsonObject): Tool["inputSchema"] => schema as Tool["inputSchema"];

/** A request of the API. */
export interface ApiCall {
  readonly method: Method;
  /** Path of the route, by which it is found. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  /** Below `/v1`, with its query. */
  readonly address: string;
  readonly body?: JsonObject;
}

export const findTool = (caller: Caller, name: string): McpTool | undefined =>
  toolsOf(caller).find((one) => one.name === name);

/** The request that a call stands for. A string says what is wrong with its arguments. */
export function requestOf(tool: McpTool, args: JsonObject): ApiCall | string {
  const missing = tool.required?.find((field) => args[field] === undefined || args[field] === "");
  if (missing !== undefined) return `${missing} is missing.`;
  const unknown = Object.keys(args).find((field) => !takes(tool, field));
  if (unknown !== undefined) return `There is no argument ${JSON.stringify(unknown.slice(0, 100))}.`;
  const params = textsOf(fieldsOf(args, tool.params));
  const elsewhere = Object.entries(params).find(([, value]) => value.split("/").some(isNoSegment));
  if (elsewhere !== undefined) return `${elsewhere[0]} has a part that is empty, "." or "..".`;
  const query = new URLSearchParams({
    ...(tool.few === true ? FEW : {}),
    ...textsOf(fieldsOf(args, tool.query)),
  });
  const address = `${addressOf(tool.path, params)}${query.size === 0 ? "" : `?${query}`}`;
  const { method, path: route } = tool;
  return { method, route, params, address, body: tool.body && bodyOf(args, tool) };
}

/** Parts of a path that lead to another one. */
const isNoSegment = (part: string): boolean => part === "" || part === "." || part === "..";

const takes = ({ params, query, body }: McpTool, field: string): boolean =>
  body?.open === true ||
  [params, query, body?.properties].some((one) => one !== undefined && Object.hasOwn(one, field));

const fieldsOf = (args: JsonObject, properties: JsonObject = {}): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)));

function bodyOf(args: JsonObject, { params, query, body }: McpTool): JsonObject {
  if (body?.open !== true) return fieldsOf(args, body?.properties);
  const taken = { ...params, ...query };
  return Object.fromEntries(Object.entries(args).filter(([name]) => !Object.hasOwn(taken, name)));
}

/** Values as an address has them. */
const textsOf = (fields: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null).map((
      [name, value],
    ) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

/** The path with its parameters; `*` is the one there is, whose `/` are the path's own. */
function addressOf(path: string, params: Readonly<Record<string, string>>): string {
  return path.split("/").map((part) => {
    if (part === "*") return Object.values(params).join("/").split("/").map(encodeURIComponent).join("/");
    if (!part.startsWith(":")) return part;
    const name = part.slice(1);
    return encodeURIComponent(Object.hasOwn(params, name) ? params[name] ?? "" : "");
  }).join("/");
}
