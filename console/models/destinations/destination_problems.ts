/** Finds what is wrong with a destination as it is typed, and the field that a refusal is about. */

import { destinationSettings, type ShownDestination } from "../../../shared/observability/records.ts";
import { ApiFailure } from "../../api.ts";
import { commonText } from "../../text/common.ts";
import { configText, destinationFields } from "../../text/gateway/destinations.ts";
import { fieldProblem } from "../field_problem.ts";
import {
  configShapes,
  type DestinationDraft,
  hashesOf,
  isSecretSet,
  keepsValue,
  type PlainName,
  rateOf,
  secretNames,
  typedHeaders,
} from "./destination_draft.ts";
import { filterProblem, ruleAt } from "./filter_rules.ts";

export type DestinationProblems = { readonly [N in keyof DestinationDraft]?: string | undefined };

function headersProblem(draft: DestinationDraft): string | undefined {
  const headers = typedHeaders(draft);
  const names = headers.map(({ name }) => name.trim());
  if (names.includes("")) return configText.headerNameMissing;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return configText.headerTwice(twice);
  const bare = headers.find((header) => header.value === "" && !keepsValue(header));
  return bare && configText.headerValueMissing(bare.name.trim());
}

const hiddenQuery = "?***";

/** An address of which a part is not shown can be left or typed anew, not mended. */
function isMendedMask(text: string, before: unknown): boolean {
  return text.includes(hiddenQuery) && text.trim() !== before;
}

function configProblems(draft: DestinationDraft, record: ShownDestination | undefined): DestinationProblems {
  const { plain, needed } = configShapes[draft.type];
  const isMissing = (name: (typeof needed)[number]) => {
    const text = draft[name]?.trim() ?? "";
    if (text !== "") return false;
    const secret = secretNames.find((one) => one === name);
    return secret === undefined || draft[name] === null || !isSecretSet(record, secret);
  };
  const missing = needed.filter(isMissing).map((name) => [name, commonText.missing] as const);
  const mended = plain.filter((name: PlainName) => isMendedMask(draft[name], record?.config[name]))
    .map((name) => [name, configText.maskedAddress] as const);
  return { ...Object.fromEntries([...missing, ...mended]), headers: headersProblem(draft) };
}

/** Undefined for each field with which nothing is wrong. */
export function draftProblems(
  draft: DestinationDraft,
  record: ShownDestination | undefined,
): DestinationProblems {
  const hashes = hashesOf(draft.keys);
  const { name, sampling_rate, regions, api_key_hashes } = destinationSettings;
  return {
    name: fieldProblem(name, draft.name.trim(), { missing: destinationFields.nameMissing }),
    sampling: fieldProblem(sampling_rate, rateOf(draft.sampling), { format: destinationFields.samplingHint }),
    regions: fieldProblem(regions, draft.regions, { format: destinationFields.regionsMissing }),
    keys: fieldProblem(api_key_hashes, hashes.length === 0 ? null : hashes),
    filter: filterProblem(draft.filter),
    ...configProblems(draft, record),
  };
}

export const isSound = (problems: DestinationProblems): boolean =>
  Object.values(problems).every((problem) => problem === undefined);

/** Names of the wire that the fields do not have. */
const fieldNames: ReadonlyMap<string, keyof DestinationDraft> = new Map([
  ["sampling_rate", "sampling"],
  ["api_key_hashes", "keys"],
  ["filter_rules", "filter"],
  ["workspace_id", "workspaceId"],
]);

interface RefusedField {
  readonly field: keyof DestinationDraft;
  readonly problem: string;
}

/** The field that a refusal is about, and what is wrong with it; undefined where it is about none. */
export function refusedField(error: Error | undefined, draft: DestinationDraft): RefusedField | undefined {
  if (!(error instanceof ApiFailure) || error.status !== 400) return undefined;
  const { path } = error.metadata;
  if (typeof path !== "string") return undefined;
  const name = path.replace(/^config\./, "").replace(/[.[].*$/, "");
  const own = fieldNames.get(name);
  const { plain, secrets } = configShapes[draft.type];
  const places: readonly (keyof DestinationDraft)[] = ["name", "regions", "headers", ...plain, ...secrets];
  const field = own ?? places.find((one) => one === name);
  if (field === undefined) return undefined;
  const [, rest] = error.message.split(`: ${path} `);
  if (rest === undefined) return { field, problem: error.message };
  const rule = ruleAt(path);
  const what = rest.replace(/\.$/, "");
  return { field, problem: rule === undefined ? commonText.itIs(what) : `${rule} ${what}.` };
}
