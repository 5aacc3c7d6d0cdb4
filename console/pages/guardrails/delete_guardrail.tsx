/** Deletes a guardrail, after saying who loses it. */

import { useSignal } from "@preact/signals";
import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Dialog } from "../../components/dialog.tsx";
import type { GuardrailsModel } from "../../models/guardrails/guardrails.ts";
import { toError } from "../../resource.ts";
import { deleteGuardrailText } from "../../text/guardrails.ts";

const deleteGuardrail = operation<"guardrails.delete">("DELETE", "/guardrails/:id");

export function DeleteGuardrail({ guardrail: { id, name }, list }: {
  readonly guardrail: GuardrailRecord;
  readonly list: GuardrailsModel;
}) {
  const busy = useSignal(false);
  const refusal = useSignal<Error | undefined>(undefined);
  const close = () => list.openDelete(undefined);
  const remove = async () => {
    busy.value = true;
    try {
      await app.api.call(deleteGuardrail, { params: { id } });
      app.toasts.show(deleteGuardrailText.deleted(name), { tone: "good" });
      app.router.setQuery({ open: undefined, view: undefined, delete: undefined });
      list.remove(id);
    } catch (error) {
      refusal.value = toError(error);
      busy.value = false;
    }
  };
  const keys = list.keyCounts.data.value?.of.get(id) ?? 0;
  const members = list.memberCounts.data.value?.of.get(id) ?? 0;
  return (
    <Dialog
      title={deleteGuardrailText.title(name)}
      onClose={close}
      onSubmit={() => void remove()}
      foot={
        <>
          <button type="button" class="button" onClick={close}>{deleteGuardrailText.keep}</button>
          <button type="submit" class="button button-danger" disabled={busy.value}>
            {deleteGuardrailText.delete(name)}
          </button>
        </>
      }
    >
      <Refusal title={deleteGuardrailText.failed} error={refusal.value} />
      <p>
        {deleteGuardrailText.holders(deleteGuardrailText.keys(keys), deleteGuardrailText.members(members))}
      </p>
      <p class="soft">{deleteGuardrailText.text}</p>
    </Dialog>
  );
}
