/** Reads from two rendered calls, one of which asks for a feature, what becomes of it on the wire. */

import { ApiError } from "../../shared/errors.ts";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import type { RenderedRequest } from "../../server/protocols/wire.ts";
import { type ApiName, apis } from "../golden/apis.ts";
import { isObject } from "../mocks/published.ts";
import { endpointTraits } from "../support/requests.ts";
import type { FeatureRequest } from "./feature_requests.ts";
import type { Fields } from "./parameters.ts";

/** `sent` and `named`: places that changed, and names of what was left out; `refused` is an error of ours. */
export type Observed =
  | { readonly type: "said"; readonly sent: readonly string[]; readonly named: readonly string[] }
  | { readonly type: "refused" };

const models: { readonly [W in WireId]: string } = {
  responses: "gpt-6-sol",
  chat: "acme-1",
  messages: "claude-opus-4-5",
  gemini: "gemini-3.5-flash",
  bedrock: "anthropic.claude-opus-4-5",
};

const plain: { readonly [A in ApiName]: Fields } = {
  chat: { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
  responses: { input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }] },
  messages: { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], max_tokens: 4_000 },
};

interface Target {
  readonly api: ApiName;
  readonly wire: WireId;
  /** Parameters that the rows of the endpoint and of its model list. */
  readonly listed?: readonly string[];
}

export function observe({ fields, with: base = {} }: FeatureRequest, target: Target): Observed {
  const before = render(base, target);
  try {
    const after = render({ ...base, ...fields }, target);
    return {
      type: "said",
      sent: changedPlaces(before, after),
      named: after.dropped.filter((name) => !before.dropped.includes(name)),
    };
  } catch (error) {
    if (error instanceof ApiError) return { type: "refused" };
    throw error;
  }
}

/** `betas` among the fields is what a header says. */
function render(fields: Fields, { api, wire, listed = [] }: Target): RenderedRequest {
  const { betas, ...body } = fields;
  const parsed = apis[api].parse({ model: "acme/one", ...plain[api], ...body });
  const request = betas === undefined ? parsed : { ...parsed, betas: [String(betas)] };
  const { safetyIdentifier } = request.endUser;
  return outboundFor(wire).renderRequest(
    request,
    endpointTraits({
      upstreamModel: models[wire],
      passKeys: listed,
      ...(safetyIdentifier === undefined ? {} : { safetyIdentifier: "pseudonym" }),
    }),
  );
}

/** Places whose values are new, others or gone, outer ones too; `[]` stands for any element. */
function changedPlaces(before: RenderedRequest, after: RenderedRequest): readonly string[] {
  const [old, now] = [before, after].map(({ path, body, headers }) => placesOf({ ...body, headers, path }));
  const places = new Set([...old?.keys() ?? [], ...now?.keys() ?? []]);
  return [...places].filter((place) => old?.get(place) !== now?.get(place));
}

/** Places → all values that stand there. */
function placesOf(value: unknown): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const add = (inner: unknown, place: string) => {
    if (place !== "") places.set(place, `${places.get(place) ?? ""}${JSON.stringify(inner)};`);
    if (Array.isArray(inner)) { for (const one of inner) add(one, `${place}[]`); }
    else if (isObject(inner)) {
      for (const [key, one] of Object.entries(inner)) add(one, place === "" ? key : `${place}.${key}`);
    }
  };
  add(value, "");
  return places;
}
