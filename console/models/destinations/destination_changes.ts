/** Changes of a destination in words, before → after; secrets only as set or not. */

import type { ShownDestination } from "../../../shared/observability/records.ts";
import { truncate } from "../../../shared/util/text.ts";
import type { Change } from "../../components/diff.tsx";
import {
  configText,
  destinationFields,
  destinationPanelText,
  filterText,
} from "../../text/gateway/destinations.ts";
import {
  configShapes,
  type DestinationDraft,
  hashesOf,
  isSecretSet,
  keepsValue,
  type SecretName,
  typedHeaders,
} from "./destination_draft.ts";
import { shownFilter } from "./filter_rules.ts";

/** Characters of a text that are shown. */
const SHOWN = 100;

interface ChangeInput {
  readonly before: DestinationDraft;
  readonly after: DestinationDraft;
  readonly record: ShownDestination | undefined;
}

const shortText = (text: string): string => truncate(text.trim(), SHOWN) || "–";
const onOff = (on: boolean): string => on ? destinationPanelText.yes : destinationPanelText.no;

/** Fields in the order of the panel, each as it is shown. */
const shownFields: readonly (readonly [string, (draft: DestinationDraft) => string])[] = [
  [destinationFields.name, ({ name }) => shortText(name)],
  [destinationFields.enabled, ({ enabled }) => onOff(enabled)],
  [destinationFields.sampling, ({ sampling }) => shortText(sampling)],
  [
    destinationFields.regions,
    ({ regions }) => regions.toSorted().map((one) => destinationFields.regionNames[one]).join(", ") || "–",
  ],
  [
    destinationFields.keys,
    ({ keys }) => keys === "" ? destinationPanelText.all : String(hashesOf(keys).length),
  ],
  [filterText.title, ({ filter }) => shownFilter(filter)],
  [destinationFields.privacy, ({ privacy }) => onOff(privacy)],
  [destinationFields.cost, ({ cost }) => onOff(cost)],
  [destinationFields.identity, ({ identity }) => onOff(identity)],
  [destinationFields.context, ({ context }) => onOff(context)],
];

/** A header by its name; a value that is typed as another one. */
const shownHeaders = (draft: DestinationDraft): string =>
  typedHeaders(draft).map((header) =>
    keepsValue(header) ? header.name : `${header.name.trim()} (${configText.replaced})`
  ).join(", ") || "–";

function secretChange(name: SecretName, { after, record }: ChangeInput): Change | undefined {
  const typed = after[name];
  if (typed === "") return undefined;
  const before = isSecretSet(record, name) ? configText.set : configText.notSet;
  const becomes = before === configText.set ? configText.replaced : configText.set;
  return {
    label: configText.labels[name],
    before,
    after: typed === null ? configText.removed : becomes,
  };
}

export function destinationChanges(input: ChangeInput): readonly Change[] {
  const { before, after } = input;
  const { plain, secrets } = configShapes[after.type];
  const config = plain.map((name) =>
    [configText.labels[name], (draft: DestinationDraft) => shortText(draft[name])] as const
  );
  const shown = [...shownFields, ...config, [configText.labels.headers, shownHeaders] as const];
  const texts = shown.map(([label, show]) => ({ label, before: show(before), after: show(after) }));
  const hidden = secrets.map((name) => secretChange(name, input)).filter((change) => change !== undefined);
  return [...texts.filter((change) => change.before !== change.after), ...hidden];
}
