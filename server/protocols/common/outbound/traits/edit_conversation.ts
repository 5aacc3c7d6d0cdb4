/** Where messages may stand in a conversation. */

import { shortDigest } from "../shorten_name.ts";
import type { Item, MessageItem } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { isClientAnswer } from "../turns.ts";

const isInstruction = (item: Item): boolean =>
  item.type === "message" && (item.role === "system" || item.role === "developer");

/** Later instructions go to the first ones, in their order: templates refuse a system message further behind. */
export function withSystemFirst(request: ModelRequest): ModelRequest {
  const { input } = request;
  const until = input.findIndex((item) => !isInstruction(item));
  if (until < 0 || !input.some((item, at) => at > until && isInstruction(item))) return request;
  const instructions = input.filter(isInstruction).map(asDeveloper);
  return { ...request, input: [...instructions, ...input.filter((item) => !isInstruction(item))] };
}

/** Gives all instructions one role, so that they become one message. */
const asDeveloper = (item: Item): Item => item.type === "message" ? { ...item, role: "developer" } : item;

/** Messages of one role in a row become one: turns of user and assistant have to alternate. */
export function withAlternatingTurns(request: ModelRequest): ModelRequest {
  const joined: Item[] = [];
  for (const item of request.input) {
    const last = joined.at(-1);
    if (last !== undefined && isSameTurn(last, item)) joined[joined.length - 1] = joinTurns(last, item);
    else joined.push(item);
  }
  return joined.length === request.input.length ? request : { ...request, input: joined };
}

type Turn = MessageItem & { readonly role: "user" | "assistant" };

const isTurn = (item: Item): item is Turn =>
  item.type === "message" && (item.role === "user" || item.role === "assistant");

const isSameTurn = (last: Item, item: Item): boolean =>
  isTurn(last) && isTurn(item) && last.role === item.role;

function joinTurns(last: Item, item: Item): Item {
  if (!isTurn(last) || !isTurn(item)) return item;
  return { ...last, parts: [...last.parts, ...item.parts], id: undefined };
}

const GO_ON: MessageItem = { type: "message", role: "user", parts: [{ type: "text", text: "Continue." }] };

/** A conversation that the assistant ended goes on with a word of the user's. */
export function withUserLast(request: ModelRequest): ModelRequest {
  const last = request.input.findLast(({ type }) => type !== "reasoning");
  return last !== undefined && isAssistants(last)
    ? { ...request, input: [...request.input, GO_ON] }
    : request;
}

/** Whether an item is the assistant's. Of tools that only some wires know, the answers are the client's. */
function isAssistants(item: Item): boolean {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "foreign" && !isClientAnswer(item.kind);
}

/** Ids of calls are nine letters and digits; the same id is always the same. */
export function withShortCallIds(request: ModelRequest): ModelRequest {
  const input = request.input.map((item) =>
    item.type === "call" || item.type === "result" ? { ...item, callId: shortCallId(item.callId) } : item
  );
  return { ...request, input };
}

const shortCallId = (callId: string): string =>
  /^[a-zA-Z0-9]{9}$/.test(callId) ? callId : shortDigest(callId) + shortDigest(`${callId} `).slice(-2);
