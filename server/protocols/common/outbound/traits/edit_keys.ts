/** Keys of a body as the endpoint's row spells them: what it refuses is left out, others are renamed, its own added. */

import { isRecord } from "../../../../../shared/util/json.ts";
import type { ContentPart, Item, JsonObject, WireId } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import type { EndpointTraits } from "../../../wire.ts";
import type { EditableCall, TraitContext } from "./trait_rule.ts";

/** Where a wire has the options of an answer, if not at the top. */
const optionPlaces: { readonly [W in WireId]?: string } = { gemini: "generationConfig" };

/** Keys that are the gateway's and not the caller's: nobody misses them. */
const unnamed: ReadonlySet<string> = new Set(["model", "store", "stream", "stream_options"]);

export function withOwnKeys(call: EditableCall, { wire, endpoint, note }: TraitContext): EditableCall {
  const { omit, rename, extraBody } = endpoint;
  if (omit.length === 0 && isEmpty(rename)) {
    return isEmpty(extraBody) ? call : { ...call, body: { ...call.body, ...extraBody } };
  }
  const spelling: Spelling = { omit, rename, note: (key) => unnamed.has(key) ? undefined : note(key) };
  const body = spell(call.body, spelling);
  const place = optionPlaces[wire];
  if (place !== undefined && isRecord(body[place])) {
    const options = spell(body[place], spelling);
    if (isEmpty(options)) delete body[place];
    else body[place] = options;
  }
  return { ...call, body: { ...body, ...extraBody } };
}

interface Spelling extends Pick<EndpointTraits, "omit" | "rename"> {
  readonly note: (key: string) => void;
}

function spell(body: JsonObject, { omit, rename, note }: Spelling): Record<string, unknown> {
  const spelled: Record<string, unknown> = {};
  for (const key in body) {
    if (omit.includes(key)) note(key);
    else spelled[Object.hasOwn(rename, key) ? rename[key] ?? key : key] = body[key];
  }
  return spelled;
}

/** Whether an object has no keys, found without a list of them. */
function isEmpty(record: object): boolean {
  for (const _key in record) return false;
  return true;
}

const BREAKPOINT = "prompt_cache_breakpoint";
/** Wires that have this mark; the others have marks of their own in its place. */
const markedWires: readonly WireId[] = ["chat", "responses"];

/** A mark inside of parts is omitted by its name too. */
export function withoutOmittedMarks(
  request: ModelRequest,
  { wire, endpoint, note }: TraitContext,
): ModelRequest {
  if (!endpoint.omit.includes(BREAKPOINT) || !markedWires.includes(wire)) return request;
  const input = request.input.map(unmarkItem);
  if (input.every((item, at) => item === request.input[at])) return request;
  note(BREAKPOINT);
  return { ...request, input };
}

function unmarkItem(item: Item): Item {
  if (item.type === "message") {
    return item.parts.some(isMarked) ? { ...item, parts: item.parts.map(unmarkPart) } : item;
  }
  if (item.type !== "result" || typeof item.output === "string") return item;
  return item.output.some(isMarked) ? { ...item, output: item.output.map(unmarkPart) } : item;
}

const isMarked = (part: ContentPart): boolean =>
  part.type !== "refusal" && part.cache?.breakpoint !== undefined;

const unmarkPart = (part: ContentPart): ContentPart =>
  part.type === "refusal" || !isMarked(part) ? part : { ...part, cache: undefined };
