/** The settings of a provider key, in its panel and in the form for a new one. */

import type { DraftProps } from "../../components/forms/draft_props.ts";
import { SelectField, SwitchRow, TextAreaField, TextField } from "../../components/forms/field.tsx";
import {
  draftProblems,
  isZdrChoice,
  namesOf,
  type ProviderKeyDraft,
} from "../../models/access/provider_key_edit.ts";
import { providerKeyFields, providerKeyPanelText } from "../../text/access/provider_keys.ts";
import { KeyPicker } from "./key_picker.tsx";

interface ProviderKeyFieldsProps extends DraftProps<ProviderKeyDraft> {
  /** The workspace whose keys may be listed; null for all. */
  readonly workspaceId: string | null;
  readonly disabled: boolean;
}

const zdrChoices = (["inherit", "yes", "no"] as const).map((value) => ({
  value,
  text: providerKeyFields.zdrChoices[value],
}));

export function UseFields({ draft, disabled, onType }: ProviderKeyFieldsProps) {
  const problems = draftProblems(draft);
  return (
    <section aria-label={providerKeyPanelText.use}>
      <h3>{providerKeyPanelText.use}</h3>
      <TextField
        label={providerKeyFields.name}
        hint={providerKeyFields.nameHint}
        problem={problems.name}
        value={draft.name}
        disabled={disabled}
        onInput={(name) => onType({ name })}
      />
      <SwitchRow
        label={providerKeyFields.disabled}
        hint={providerKeyFields.disabledHint}
        checked={draft.disabled}
        disabled={disabled}
        onChange={(on) => onType({ disabled: on })}
      />
      <SwitchRow
        label={providerKeyFields.fallback}
        hint={providerKeyFields.fallbackHint}
        checked={draft.fallback}
        disabled={disabled}
        onChange={(fallback) => onType({ fallback })}
      />
      <SwitchRow
        label={providerKeyFields.required}
        hint={providerKeyFields.requiredHint}
        checked={draft.required}
        disabled={disabled}
        onChange={(required) => onType({ required })}
      />
      <SwitchRow
        label={providerKeyFields.only}
        hint={providerKeyFields.onlyHint}
        checked={draft.only}
        disabled={disabled}
        onChange={(only) => onType({ only })}
      />
      {problems.only !== undefined && <p class="hint hint-bad" role="alert">{problems.only}</p>}
      <SelectField
        label={providerKeyFields.zdr}
        hint={providerKeyFields.zdrHint}
        choices={zdrChoices}
        value={draft.zdr}
        disabled={disabled}
        onChange={(zdr) => isZdrChoice(zdr) && onType({ zdr })}
      />
    </section>
  );
}

export function WhoFields({ draft, workspaceId, disabled, onType }: ProviderKeyFieldsProps) {
  const problems = draftProblems(draft);
  return (
    <section aria-label={providerKeyPanelText.who}>
      <h3>{providerKeyPanelText.who}</h3>
      <TextAreaField
        label={providerKeyFields.models}
        hint={providerKeyFields.modelsHint}
        problem={problems.models}
        rows={3}
        mono
        value={draft.models}
        disabled={disabled}
        onInput={(models) => onType({ models })}
      />
      <TextAreaField
        label={providerKeyFields.users}
        hint={providerKeyFields.usersHint}
        problem={problems.users}
        rows={2}
        value={draft.users}
        disabled={disabled}
        onInput={(users) => onType({ users })}
      />
      <KeyPicker
        chosen={namesOf(draft.keys) ?? []}
        workspaceId={workspaceId}
        disabled={disabled}
        problem={problems.keys}
        text={providerKeyFields}
        onChange={(chosen) => onType({ keys: chosen.join("\n") })}
      />
    </section>
  );
}
