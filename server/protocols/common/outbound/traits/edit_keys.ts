/** Keys of a body as the endpoint's row spells them: what it refuses is left out, others are renamed, its own added. */

import { isRecord } from "../../../../../shared/util/json.ts";
import type { JsonObject, WireId } from "../../../../canonical/item.ts";
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
