/** The receipts that a destination is sent, and how much is told of each. */

import { CheckGroup } from "../../components/forms/check_group.tsx";
import { SwitchRow, TextField } from "../../components/forms/field.tsx";
import { hashesOf } from "../../models/destinations/destination_draft.ts";
import { destinationFields, destinationPanelText } from "../../text/gateway/destinations.ts";
import { KeyPicker } from "../access/key_picker.tsx";
import type { DestinationFieldsProps } from "./config_fields.tsx";
import { FilterRuleFields } from "./filter_rules.tsx";

const regionChoices = (["global", "europe", "us"] as const).map((value) => ({
  value,
  text: destinationFields.regionNames[value],
}));

export function WhichFields(props: DestinationFieldsProps) {
  const { draft, problems, disabled, onType } = props;
  return (
    <section aria-label={destinationPanelText.which}>
      <h3>{destinationPanelText.which}</h3>
      <TextField
        label={destinationFields.sampling}
        hint={destinationFields.samplingHint}
        problem={problems.sampling}
        value={draft.sampling}
        disabled={disabled}
        onInput={(sampling) => onType({ sampling })}
      />
      <KeyPicker
        chosen={hashesOf(draft.keys)}
        workspaceId={draft.workspaceId}
        disabled={disabled}
        problem={problems.keys}
        text={destinationFields}
        onChange={(chosen) => onType({ keys: chosen.join("\n") })}
      />
      <FilterRuleFields {...props} />
      <CheckGroup
        label={destinationFields.regions}
        hint={destinationFields.regionsHint}
        problem={problems.regions}
        choices={regionChoices}
        chosen={draft.regions}
        disabled={disabled}
        onChange={(regions) => onType({ regions })}
      />
    </section>
  );
}

const switches = [
  ["privacy", destinationFields.privacy, destinationFields.privacyHint],
  ["cost", destinationFields.cost, destinationFields.costHint],
  ["identity", destinationFields.identity, destinationFields.identityHint],
  ["context", destinationFields.context, destinationFields.contextHint],
] as const;

export function WhatFields({ draft, disabled, onType }: DestinationFieldsProps) {
  return (
    <section aria-label={destinationPanelText.what}>
      <h3>{destinationPanelText.what}</h3>
      {switches.map(([name, label, hint]) => (
        <SwitchRow
          key={name}
          label={label}
          hint={hint}
          checked={draft[name]}
          disabled={disabled}
          onChange={(on) => onType({ [name]: on })}
        />
      ))}
    </section>
  );
}
