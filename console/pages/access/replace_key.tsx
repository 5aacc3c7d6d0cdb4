/** Puts another key in the place of a provider key that is stored. */

import { useSignal } from "@preact/signals";
import { type ByokRecord, providerKeySchema } from "../../../shared/byok.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { TextAreaField } from "../../components/forms/field.tsx";
import type { ProviderKeyEditModel } from "../../models/access/provider_key_edit.ts";
import { providerKeyName } from "../../models/access/provider_keys.ts";
import { fieldProblem } from "../../models/field_problem.ts";
import { providerKeyFields, replaceKeyText } from "../../text/access/provider_keys.ts";

/** Problem of a provider's key as it is typed. */
export const keyProblem = (key: string): string | undefined =>
  fieldProblem(providerKeySchema, key, { missing: providerKeyFields.keyMissing });

export function ReplaceKey({ record, model, onClose }: {
  readonly record: ByokRecord;
  readonly model: ProviderKeyEditModel;
  readonly onClose: () => void;
}) {
  const key = useSignal("");
  const tried = useSignal(false);
  const problem = keyProblem(key.value);
  const action = useAction(async () => {
    tried.value = true;
    if (problem !== undefined) return;
    await model.replaceKey(key.value);
    app.toasts.show(replaceKeyText.replaced, { tone: "good" });
    onClose();
  });
  return (
    <ActionDialog
      title={replaceKeyText.title(providerKeyName(record))}
      action={action}
      submit={replaceKeyText.submit}
      failed={replaceKeyText.failed}
      onClose={onClose}
    >
      <p class="soft">{replaceKeyText.text}</p>
      <TextAreaField
        label={providerKeyFields.key}
        hint={providerKeyFields.keyHint}
        problem={tried.value ? problem : undefined}
        rows={3}
        mono
        value={key.value}
        onInput={(text) => {
          key.value = text;
        }}
      />
    </ActionDialog>
  );
}
