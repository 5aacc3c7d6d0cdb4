/** The form for a new provider key. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { providerSlugSchema } from "../../../shared/byok.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { SelectField, TextAreaField, TextField } from "../../components/forms/field.tsx";
import {
  emptyProviderKeyDraft,
  isSound,
  type ProviderKeyDraft,
  settingsOf,
} from "../../models/access/provider_key_edit.ts";
import { providerKeyName, type ProviderKeysModel } from "../../models/access/provider_keys.ts";
import { fieldProblem } from "../../models/field_problem.ts";
import { newProviderKeyText, providerKeyFields } from "../../text/access/provider_keys.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";
import { UseFields, WhoFields } from "./provider_key_fields.tsx";
import { keyProblem } from "./replace_key.tsx";

const createKey = operation<"byok.create">("POST", "/byok");

/** Value of the choice that stands for every workspace. */
const ALL = "";

interface Draft extends ProviderKeyDraft {
  readonly provider: string;
  readonly key: string;
  readonly workspaceId: string;
}

function useForm(list: ProviderKeysModel) {
  const first = useMemo(() => (chosenWorkspace.peek() ?? workspaces.data.peek()?.[0])?.id ?? ALL, []);
  const draft = useSignal<Draft>({ ...emptyProviderKeyDraft, provider: "", key: "", workspaceId: first });
  const tried = useSignal(false);
  const { provider, key } = draft.value;
  const problems = {
    provider: fieldProblem(providerSlugSchema, provider.trim(), { format: providerKeyFields.providerHint }),
    key: keyProblem(key),
  };
  const action = useAction(async () => {
    tried.value = true;
    const { workspaceId } = draft.value;
    if (problems.provider !== undefined || problems.key !== undefined || !isSound(draft.value)) return;
    const body = {
      ...settingsOf(draft.value),
      provider: provider.trim(),
      key,
      workspace_id: workspaceId === ALL ? null : workspaceId,
    };
    const { data } = await app.api.call(createKey, { body });
    app.toasts.show(newProviderKeyText.created(providerKeyName(data)), { tone: "good" });
    app.router.setQuery({ open: data.id });
    await list.list.load();
  });
  const type = (changes: Partial<Draft>) => {
    draft.value = { ...draft.value, ...changes };
  };
  return { draft: draft.value, problems: tried.value ? problems : undefined, action, type };
}

export function NewProviderKey({ list }: { readonly list: ProviderKeysModel }) {
  const { draft, problems, action, type } = useForm(list);
  const fields = {
    draft,
    workspaceId: draft.workspaceId === ALL ? null : draft.workspaceId,
    disabled: false,
    onType: type,
  };
  return (
    <ActionDialog
      title={newProviderKeyText.title}
      wide
      action={action}
      submit={action.busy.value ? newProviderKeyText.creating : newProviderKeyText.create}
      failed={newProviderKeyText.failed}
      onClose={() => list.openPanel(undefined)}
    >
      <div class="grid-2">
        <TextField
          label={providerKeyFields.provider}
          hint={providerKeyFields.providerHint}
          problem={problems?.provider}
          value={draft.provider}
          autofocus
          onInput={(provider) => type({ provider })}
        />
        <SelectField
          label={providerKeyFields.workspace}
          value={draft.workspaceId}
          choices={[
            ...(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name })),
            { value: ALL, text: providerKeyFields.allWorkspaces },
          ]}
          onChange={(workspaceId) => type({ workspaceId, keys: "" })}
        />
      </div>
      <TextAreaField
        label={providerKeyFields.key}
        hint={providerKeyFields.keyHint}
        problem={problems?.key}
        rows={3}
        mono
        value={draft.key}
        onInput={(key) => type({ key })}
      />
      <UseFields {...fields} />
      <WhoFields {...fields} />
    </ActionDialog>
  );
}
