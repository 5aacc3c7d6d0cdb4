/** A destination as its fields have it, and as the operations take it. */

import {
  type DestinationType,
  destinationTypes,
  type ShownDestination,
} from "../../../shared/observability/records.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import { type FilterDraft, filterDraftOf, filterRulesOf, noFilter } from "./filter_rules.ts";

/** Stands for a secret that is not shown. Sent back it stays as it is. */
const MASK = "***";

/** Fields of the configuration that are shown as they are. */
const plainNames = ["url", "method", "endpoint", "bucketName", "region", "prefix", "pathTemplate"] as const;
export const secretNames = ["signing_secret", "accessKeyId", "secretAccessKey", "sessionToken"] as const;
export type PlainName = (typeof plainNames)[number];
export type SecretName = (typeof secretNames)[number];

interface ConfigShape {
  readonly plain: readonly PlainName[];
  readonly secrets: readonly SecretName[];
  /** Fields that it cannot be without. */
  readonly needed: readonly (PlainName | SecretName)[];
}

export const configShapes: { readonly [T in DestinationType]: ConfigShape } = {
  "webhook": { plain: ["url", "method"], secrets: ["signing_secret"], needed: ["url"] },
  "otel-collector": { plain: ["endpoint"], secrets: [], needed: ["endpoint"] },
  "s3": {
    plain: ["bucketName", "region", "endpoint", "prefix", "pathTemplate"],
    secrets: ["accessKeyId", "secretAccessKey", "sessionToken"],
    needed: ["bucketName", "accessKeyId", "secretAccessKey"],
  },
};

/** A header as it is typed. */
export interface HeaderDraft {
  /** Tells rows apart while they are typed. */
  readonly row: number;
  readonly name: string;
  /** Empty for a value that is stored and stays. */
  readonly value: string;
  /** A value is stored under this name. */
  readonly stored: string | undefined;
}

type Region = ShownDestination["regions"][number];

export interface DestinationDraft
  extends Readonly<Record<PlainName, string>>, Readonly<Record<SecretName, string | null>> {
  readonly type: DestinationType;
  readonly workspaceId: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Percent. */
  readonly sampling: string;
  readonly regions: readonly Region[];
  readonly privacy: boolean;
  readonly cost: boolean;
  readonly identity: boolean;
  readonly context: boolean;
  /** Hashes, one a line. */
  readonly keys: string;
  readonly filter: FilterDraft;
  readonly headers: readonly HeaderDraft[];
}

export const emptyDestination: DestinationDraft = {
  type: "webhook",
  workspaceId: "",
  name: "",
  enabled: true,
  sampling: "100",
  regions: ["global"],
  privacy: false,
  cost: false,
  identity: false,
  context: false,
  keys: "",
  filter: noFilter,
  headers: [],
  url: "",
  method: "POST",
  endpoint: "",
  bucketName: "",
  region: "",
  prefix: "",
  pathTemplate: "",
  // Empty: as it is stored, or none; null: is taken away.
  signing_secret: "",
  accessKeyId: "",
  secretAccessKey: "",
  sessionToken: "",
};

export const toDestinationType = (text: string): DestinationType =>
  destinationTypes.find((one) => one === text) ?? "webhook";

/** So many digits has a number of which the last ones are no rounding of a quotient. */
const DIGITS = 12;

/** `0.25` as `25`. */
export const percentOf = (rate: number): string => String(Number((rate * 100).toPrecision(DIGITS)));

/** NaN for what is no number. */
export const rateOf = (percent: string): number =>
  percent.trim() === "" ? NaN : Number((Number(percent.trim()) / 100).toPrecision(DIGITS));

export const hashesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

export function draftOf(record: ShownDestination): DestinationDraft {
  const { config } = record;
  const shown = (name: PlainName) => {
    const text = ownValue(config, name);
    return [name, typeof text === "string" ? text : ""] as const;
  };
  const headers = isRecord(config.headers) ? Object.keys(config.headers) : [];
  return {
    ...emptyDestination,
    ...Object.fromEntries(plainNames.map(shown)),
    type: record.type,
    workspaceId: record.workspace_id,
    name: record.name,
    enabled: record.enabled,
    sampling: percentOf(record.sampling_rate),
    regions: record.regions,
    privacy: record.privacy_mode,
    cost: record.broadcast_generation_cost,
    identity: record.broadcast_generation_identity,
    context: record.broadcast_generation_request_context,
    keys: (record.api_key_hashes ?? []).join("\n"),
    filter: filterDraftOf(record.filter_rules),
    headers: headers.map((name, row) => ({ row, name, value: "", stored: name })),
  };
}

/** Whether a secret is stored. */
export const isSecretSet = (record: ShownDestination | undefined, name: SecretName): boolean =>
  record !== undefined && ownValue(record.config, name) !== undefined;

/** Settings that every type has. */
function settingsOf(draft: DestinationDraft) {
  const hashes = hashesOf(draft.keys);
  return {
    name: draft.name.trim(),
    enabled: draft.enabled,
    sampling_rate: rateOf(draft.sampling),
    regions: [...draft.regions].sort(),
    privacy_mode: draft.privacy,
    broadcast_generation_cost: draft.cost,
    broadcast_generation_identity: draft.identity,
    broadcast_generation_request_context: draft.context,
    api_key_hashes: hashes.length === 0 ? null : hashes,
    filter_rules: filterRulesOf(draft.filter),
  };
}

/** Headers with something typed. */
export const typedHeaders = ({ headers }: Pick<DestinationDraft, "headers">): readonly HeaderDraft[] =>
  headers.filter(({ name, value }) => name.trim() !== "" || value !== "");

/** Whether the value that is stored under the name stays. */
export const keepsValue = ({ name, value, stored }: HeaderDraft): boolean =>
  value === "" && stored !== undefined && stored === name.trim();

const headersOf = (draft: DestinationDraft): Readonly<Record<string, string>> =>
  Object.fromEntries(
    typedHeaders(draft).map((header) => [header.name.trim(), keepsValue(header) ? MASK : header.value]),
  );

/** Fields of the configuration: null for those that are taken away. */
function configOf(draft: DestinationDraft): Readonly<Record<string, unknown>> {
  const { plain, secrets } = configShapes[draft.type];
  const shown = plain.map((name) => [name, draft[name].trim() === "" ? null : draft[name].trim()]);
  const hidden = secrets.map((name) => [name, draft[name]?.trim() ?? null]).filter(([, text]) => text !== "");
  return Object.fromEntries([...shown, ...hidden, ["headers", headersOf(draft)]]);
}

/** As a new one is created. */
export function newBody(draft: DestinationDraft) {
  const config = Object.entries(configOf(draft)).filter(([, value]) => value !== null);
  return {
    ...settingsOf(draft),
    type: draft.type,
    workspace_id: draft.workspaceId,
    config: Object.fromEntries(config),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that differ from those before. */
function changedFields(before: Fields, after: Fields): Fields {
  const known = new Map(Object.entries(before));
  const isChanged = ([name, value]: readonly [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(known.get(name));
  return Object.fromEntries(Object.entries(after).filter(isChanged));
}

/** Null for each header that is taken away: others stay where they are not named. */
function removedHeaders(before: DestinationDraft, after: DestinationDraft): Fields {
  const left = headersOf(after);
  const gone = Object.keys(headersOf(before)).filter((name) => !Object.hasOwn(left, name));
  return Object.fromEntries(gone.map((name) => [name, null]));
}

/** As one is changed. */
export function changedBody(before: DestinationDraft, after: DestinationDraft): Fields {
  const settings = changedFields(settingsOf(before), settingsOf(after));
  const config = changedFields(configOf(before), configOf(after));
  if (Object.keys(config).length === 0) return settings;
  const headers = { ...removedHeaders(before, after), ...headersOf(after) };
  return { ...settings, config: { ...config, ...("headers" in config ? { headers } : {}) } };
}
