/** The plugins of a workspace's requests: how each is set, and its settings. */

import { app } from "../../app.ts";
import { SelectField, TextField } from "../../components/forms/field.tsx";
import {
  hasSettings,
  modesOf,
  pluginHint,
  type PluginMode,
  type PluginRow,
} from "../../models/default_plugins.ts";
import type { WorkspaceEditModel } from "../../models/workspace_edit.ts";
import { status } from "../../status.ts";
import { defaultPluginsText } from "../../text/default_plugins.ts";

interface FieldProps {
  readonly row: PluginRow;
  readonly problem: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (changes: Partial<PluginRow>) => void;
}

function PluginField({ row, problem, disabled, onChange }: FieldProps) {
  const { id, mode, settings } = row;
  const modes = modesOf(id);
  const choices = modes.map((value) => ({ value, text: defaultPluginsText.modes[value] }));
  const pick = (value: string): PluginMode => modes.find((one) => one === value) ?? "request";
  return (
    <div class="stack">
      <SelectField
        label={id}
        hint={pluginHint(id, status.data.value?.plugins)}
        problem={hasSettings(row) ? undefined : problem}
        choices={choices}
        value={mode}
        disabled={disabled}
        onChange={(value) => onChange({ mode: pick(value) })}
      />
      {hasSettings(row) && (
        <TextField
          label={defaultPluginsText.settings(id)}
          hint={defaultPluginsText.settingsHint}
          problem={problem}
          value={settings}
          disabled={disabled}
          mono
          onInput={(typed) => onChange({ settings: typed })}
        />
      )}
    </div>
  );
}

export function DefaultPlugins({ model }: { readonly model: WorkspaceEditModel }) {
  const disabled = !app.session.canChange.value || model.draft.value === undefined;
  const problems = model.pluginProblems.value;
  return (
    <section aria-label={defaultPluginsText.title}>
      <h3>{defaultPluginsText.title}</h3>
      <p class="small soft">{defaultPluginsText.hint}</p>
      <div class="grid-2">
        {model.plugins.value.map((row) => (
          <PluginField
            key={row.id}
            row={row}
            problem={problems.get(row.id)}
            disabled={disabled}
            onChange={(changes) => model.typePlugin({ ...row, ...changes })}
          />
        ))}
      </div>
    </section>
  );
}
