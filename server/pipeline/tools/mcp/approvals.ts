/**
 * Approvals of calls of MCP servers' tools. A call that needs one ends the turn; the client answers in its next
 * request, which has the call in it: its id holds a hash of what was asked for, so that nothing else is run.
 */

import { hash } from "node:crypto";
import { ApiError } from "../../../../shared/errors.ts";
import { unprocessableRequestError } from "../../../protocols/common/inbound/request_errors.ts";
import type { Item, JsonObject, PassthroughItem, ToolCallItem } from "../../../protocols/canonical/item.ts";
import { textOf } from "../tool_definition.ts";
import { functionNames } from "./function_names.ts";
import { CALL } from "./mcp.ts";
import { APPROVAL_REQUEST, type OfferedTool } from "./mcp_tool.ts";
import { isMcpItem } from "./replayed_listing.ts";

/** A call that the client has approved and that has not been run. */
export interface ApprovedCall {
  readonly offered: OfferedTool;
  readonly call: ToolCallItem;
  readonly requestId: string;
}

interface ResolvedInput {
  /** Without listings and approvals of these servers; refused calls stand in it with their results. */
  readonly input: readonly Item[];
  readonly approved: readonly ApprovedCall[];
}

/** Hex digits of the hash in an id. */
const DIGITS = 32;
const OWN_ID = /^mcpr_[A-Za-z0-9_]{1,200}_([0-9a-f]{32})$/;

const hashOf = ({ server_label, name, arguments: text }: JsonObject): string =>
  hash("sha256", JSON.stringify([server_label, name, text]), "hex").slice(0, DIGITS);

/** The id of the item that asks for an approval. `place`: the call's own within the generation. */
export const approvalId = (place: string, item: JsonObject): string => `mcpr_${place}_${hashOf(item)}`;

interface NamedServers {
  /** Labels of all servers of the request, whatever they offer. */
  readonly labels: ReadonlySet<string>;
  readonly offered: readonly OfferedTool[];
}

/**
 * Throws an ApiError: 422 for an answer to a call that is not the one that was asked for, 400 for one to a call that
 * the request does not have, or of a server that it does not name.
 */
export function resolveApprovals(input: readonly Item[], { labels, offered }: NamedServers): ResolvedInput {
  if (!input.some(isMcpItem)) return { input, approved: [] };
  const responses = responsesIn(input);
  checkAnswers([...responses.values()], { labels, input });
  const done = new Set(
    input.filter(isMcpItem).flatMap(({ kind, value }) =>
      kind === CALL && typeof value.approval_request_id === "string" ? [value.approval_request_id] : []
    ),
  );
  const approved: ApprovedCall[] = [];
  const kept = input.flatMap((item, position): readonly Item[] => {
    if (!isMcpItem(item) || item.kind === CALL) return [item];
    if (item.kind === "mcp_approval_response") return isOf(item, { labels, input }) ? [] : [item];
    if (!labels.has(String(item.value.server_label))) return [item];
    const answer = responses.get(item.id ?? "");
    if (item.kind !== APPROVAL_REQUEST || answer === undefined) return [];
    checkUnchanged(item, input);
    if (done.has(item.id ?? "")) return [];
    if (answer.item.value.approve !== true) {
      return answeredCall(item, { offered, error: refusalOf(answer.item) });
    }
    const isNew = !input.slice(Math.max(position, answer.position)).some(isOutput);
    if (!isNew) return [];
    const call = approvedCall(item, offered);
    if (call === undefined) return answeredCall(item, { offered, error: NOT_OFFERED });
    approved.push(call);
    return [];
  });
  return { input: kept, approved };
}

interface Answer {
  readonly item: PassthroughItem;
  readonly position: number;
}

/** The last answer to each request. */
function responsesIn(input: readonly Item[]): ReadonlyMap<string, Answer> {
  const found = new Map<string, Answer>();
  input.forEach((item, position) => {
    if (!isMcpItem(item) || item.kind !== "mcp_approval_response") return;
    found.set(String(item.value.approval_request_id), { item, position });
  });
  return found;
}

interface Scope {
  readonly labels: ReadonlySet<string>;
  readonly input: readonly Item[];
}

/** The call that an answer is to. */
const requestOf = ({ value }: PassthroughItem, input: readonly Item[]): PassthroughItem | undefined =>
  input.filter(isMcpItem).find(({ kind, id }) =>
    kind === APPROVAL_REQUEST && id === value.approval_request_id
  );

/** Whether an answer is to a request of one of the servers. */
const isOf = (item: PassthroughItem, { labels, input }: Scope): boolean => {
  const request = requestOf(item, input);
  return request !== undefined && labels.has(String(request.value.server_label));
};

/** Throws an ApiError (400). An answer before the model's last words has no effect in any case. */
function checkAnswers(answers: readonly Answer[], { labels, input }: Scope): void {
  for (const { item, position } of answers) {
    if (isOf(item, { labels, input }) || input.slice(position).some(isOutput)) continue;
    const request = requestOf(item, input);
    const path = `input[${position}].approval_request_id`;
    const message = request === undefined
      ? "is the id of no mcp_approval_request of the input: send the response's items back with the answer"
      : "is of a server that tools does not name: send the tool again with the answer";
    throw new ApiError("invalid_request", `${path} ${message}`, { metadata: { path } });
  }
}

/** Ids that a provider has made hold nothing. */
function checkUnchanged(item: PassthroughItem, input: readonly Item[]): void {
  const [, expected] = OWN_ID.exec(item.id ?? "") ?? [];
  if (expected === undefined || expected === hashOf(item.value)) return;
  throw unprocessableRequestError(
    `input[${input.indexOf(item)}]`,
    "is not the call for which an approval was asked: its server, name or arguments were changed",
  );
}

/** Whether the model has gone on: what was approved before that is not run any more. */
const isOutput = (item: Item): boolean =>
  item.type === "reasoning" || item.type === "call" ||
  (item.type === "message" && item.role === "assistant") ||
  (isMcpItem(item) && item.kind === CALL);

const callOf = ({ id = "", value }: PassthroughItem, name: string): ToolCallItem => ({
  type: "call",
  kind: "function",
  callId: id,
  name,
  arguments: textOf(value.arguments) ?? "{}",
});

function approvedCall(item: PassthroughItem, offered: readonly OfferedTool[]): ApprovedCall | undefined {
  const tool = findOffered(item.value, offered);
  if (tool === undefined) return undefined;
  return { offered: tool, call: callOf(item, tool.name), requestId: item.id ?? "" };
}

const findOffered = ({ server_label, name }: JsonObject, offered: readonly OfferedTool[]) =>
  offered.find(({ settings, tool }) => settings.label === server_label && tool.name === name);

const NOT_OFFERED =
  "The user has approved this call, and it was not run: its server does not offer the tool any more.";

function refusalOf({ value: { reason } }: PassthroughItem): string {
  const why = textOf(reason);
  return `The user has refused this call.${why === undefined ? "" : ` Reason: ${why}`}`;
}

interface CallAnswer {
  readonly offered: readonly OfferedTool[];
  readonly error: string;
}

/** A name that providers take, of a tool that is not offered. */
function nameAlone({ server_label, name }: JsonObject): string {
  const [taken = "tool"] = functionNames([{ label: String(server_label), name: String(name) }], new Set());
  return taken;
}

/** A call that nobody runs, as the model is told of it. */
function answeredCall(item: PassthroughItem, { offered, error }: CallAnswer): readonly Item[] {
  const call = callOf(item, findOffered(item.value, offered)?.name ?? nameAlone(item.value));
  return [
    call,
    { type: "result", kind: "function", callId: call.callId, output: JSON.stringify({ error }) },
  ];
}
