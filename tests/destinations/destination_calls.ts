/** Destinations of every type as tests make them, and what messages tell. */

import type { DestinationType } from "../../shared/observability/records.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import type { DestinationRig, Message } from "./destination_rig.ts";

export const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
export const TOKEN = "Bearer of-the-receiver";

/** How each type is configured to reach a base address. */
export const configs: { readonly [T in DestinationType]: (base: string) => Json } = {
  "webhook": (base) => ({
    url: `${base}/hook?token=in-the-query`,
    headers: { Authorization: TOKEN },
    signing_secret: SECRET,
  }),
  "otel-collector": (base) => ({ endpoint: base, headers: { authorization: TOKEN } }),
  "s3": (endpoint) => ({
    endpoint,
    bucketName: "receipts",
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMIK7MDENGbPxRfiCY",
  }),
};
/** Everything that must be in no answer, no log and no audit row. */
export const secrets = [
  SECRET,
  TOKEN,
  "in-the-query",
  "AKIAIOSFODNN7EXAMPLE",
  "wJalrXUtnFEMIK7MDENGbPxRfiCY",
];

export async function add(rig: DestinationRig, type: DestinationType, more: Json = {}) {
  rig.later();
  const body = { type, name: `A ${type}`, config: configs[type](rig.at.url), ...more };
  return (await rig.admin.call("destinations.create", { body })).data;
}

export const show = async ({ admin }: DestinationRig, id: string) =>
  (await admin.call("destinations.get", { params: { id } })).data;

/** The spans of a message. */
export const spansOf = ({ body }: Message): readonly Json[] =>
  asList(asObject(JSON.parse(body)).resourceSpans).flatMap((resource) =>
    asList(asObject(resource).scopeSpans).flatMap((scope) => asList(asObject(scope).spans).map(asObject))
  );

export const attributesOf = (span: Json): ReadonlyMap<string, unknown> =>
  new Map(
    asList(span.attributes).map(asObject).map(({ key, value }) => [
      String(key),
      Object.values(asObject(value))[0],
    ]),
  );

/** The generations that messages tell of, in their order. */
export const told = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(spansOf).map((span) => String(attributesOf(span).get("tollgate.generation")));
