/** Deletes a guardrail, after saying who loses it. */

import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import type { GuardrailsModel } from "../../models/guardrails/guardrails.ts";
import { deleteGuardrailText } from "../../text/guardrails.ts";

const deleteGuardrail = operation<"guardrails.delete">("DELETE", "/guardrails/:id");

export function DeleteGuardrail({ guardrail: { id, name }, list }: {
  readonly guardrail: GuardrailRecord;
  readonly list: GuardrailsModel;
}) {
  const close = () => list.openDelete(undefined);
  const action = useAction(async () => {
    await app.api.call(deleteGuardrail, { params: { id } });
    app.toasts.show(deleteGuardrailText.deleted(name), { tone: "good" });
    app.router.setQuery({ open: undefined, view: undefined, delete: undefined });
    list.remove(id);
  });
  const keys = list.keyCounts.data.value?.of.get(id) ?? 0;
  const members = list.memberCounts.data.value?.of.get(id) ?? 0;
  return (
    <ActionDialog
      title={deleteGuardrailText.title(name)}
      action={action}
      submit={deleteGuardrailText.delete(name)}
      danger
      cancel={deleteGuardrailText.keep}
      failed={deleteGuardrailText.failed}
      onClose={close}
    >
      <p>
        {deleteGuardrailText.holders(deleteGuardrailText.keys(keys), deleteGuardrailText.members(members))}
      </p>
      <p class="soft">{deleteGuardrailText.text}</p>
    </ActionDialog>
  );
}
