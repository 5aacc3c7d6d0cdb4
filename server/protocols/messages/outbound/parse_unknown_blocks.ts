/**
 * Blocks of an answer that are newer than we are. A client of this same wire gets them as they came, in one chunk:
 * texts that came in pieces can only be read by content filters once they are whole.
 */

import { isRecord, tryParseJson } from "../../../../shared/util/json.ts";
import type { JsonObject, PassthroughItem } from "../../canonical/item.ts";
import type { MessagesState, ParseStep, ProviderBlock } from "./parse_state.ts";
import type { BlockDelta, ContentBlock } from "./response_schema.ts";

type UnknownBlock = Extract<ProviderBlock, { type: "unknown" }>;

/** The item of a block that has ended. */
export function endUnknown(state: MessagesState, { block, deltas }: UnknownBlock): ParseStep {
  const at = state.items;
  const item: PassthroughItem = {
    type: "foreign",
    wire: "messages",
    kind: block.type,
    value: deltas.reduce(grown, withInput(block, deltas)),
    ...laterDeltas(deltas),
  };
  return [{ ...state, items: at + 1 }, [{ type: "item", itemKey: at, item }, {
    type: "item_done",
    itemKey: at,
    item,
  }]];
}

/** The block's field that each known delta adds to, and the delta's field that is added. */
const known: Readonly<Record<string, { readonly field: string; readonly from: string }>> = {
  text_delta: { field: "text", from: "text" },
  thinking_delta: { field: "thinking", from: "thinking" },
  signature_delta: { field: "signature", from: "signature" },
};

/** Whether the delta is of a type that can be added up here. */
const isKnown = ({ type }: BlockDelta) =>
  Object.hasOwn(known, type) || type === "input_json_delta" || type === "citations_delta";

function grown(block: JsonObject, delta: BlockDelta): JsonObject {
  if (delta.type === "citations_delta") {
    const before = Array.isArray(block.citations) ? block.citations : [];
    return { ...block, citations: [...before, delta.citation] };
  }
  const place = Object.hasOwn(known, delta.type) ? known[delta.type] : undefined;
  if (place === undefined) return block;
  const { field, from } = place;
  return { ...block, [field]: textOf(block[field]) + textOf(delta[from]) };
}

function withInput(block: ContentBlock, deltas: readonly BlockDelta[]): JsonObject {
  const json = deltas.map(({ type, partial_json: part }) => type === "input_json_delta" ? part ?? "" : "")
    .join("");
  if (json === "") return block;
  const input = tryParseJson(json);
  return { ...block, input: isRecord(input) ? input : { INVALID_JSON: json } };
}

/** Deltas that are new to us. Neighbours of one type become one: their texts are joined. */
function laterDeltas(deltas: readonly BlockDelta[]): Pick<PassthroughItem, "extra"> {
  const later: JsonObject[] = [];
  for (const delta of deltas.filter((one) => !isKnown(one))) {
    const last = later.at(-1);
    if (last?.type === delta.type) later[later.length - 1] = joined(last, delta);
    else later.push(delta);
  }
  return later.length === 0 ? {} : { extra: { messages: { deltas: later } } };
}

function joined(last: JsonObject, delta: JsonObject): JsonObject {
  const texts = Object.entries(delta).map(([key, value]) => {
    const before = last[key];
    return [
      key,
      key !== "type" && typeof value === "string" && typeof before === "string" ? before + value : value,
    ];
  });
  return { ...last, ...Object.fromEntries(texts) };
}

const textOf = (value: unknown): string => typeof value === "string" ? value : "";
