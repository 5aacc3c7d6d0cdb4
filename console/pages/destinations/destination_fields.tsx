/** The name and state of a destination, with type and workspace while it is new. */

import { destinationTypes } from "../../../shared/observability/records.ts";
import { SelectField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { toDestinationType } from "../../models/destinations/destination_draft.ts";
import {
  destinationFields,
  destinationPanelText,
  destinationsText,
} from "../../text/gateway/destinations.ts";
import { workspaces } from "../../workspaces.ts";
import type { DestinationFieldsProps } from "./config_fields.tsx";

export function Naming({ draft, problems, disabled, onType }: DestinationFieldsProps) {
  return (
    <section aria-label={destinationPanelText.about}>
      <h3>{destinationPanelText.about}</h3>
      <TextField
        label={destinationFields.name}
        problem={problems.name}
        value={draft.name}
        disabled={disabled}
        onInput={(name) => onType({ name })}
      />
      <SwitchRow
        label={destinationFields.enabled}
        hint={destinationFields.enabledHint}
        checked={draft.enabled}
        disabled={disabled}
        onChange={(enabled) => onType({ enabled })}
      />
    </section>
  );
}

/** Choices that cannot be changed later. */
export function Placing({ draft, problems, disabled, onType }: DestinationFieldsProps) {
  return (
    <div class="grid-2">
      <SelectField
        label={destinationFields.type}
        hint={destinationFields.typeHint}
        choices={destinationTypes.map((value) => ({ value, text: destinationsText.types[value] }))}
        value={draft.type}
        disabled={disabled}
        onChange={(type) => onType({ type: toDestinationType(type) })}
      />
      <SelectField
        label={destinationFields.workspace}
        hint={destinationFields.workspaceHint}
        problem={problems.workspaceId}
        choices={(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name }))}
        value={draft.workspaceId}
        disabled={disabled}
        onChange={(workspaceId) => onType({ workspaceId, keys: "" })}
      />
    </div>
  );
}
