/** Deletes a guardrail, after saying who loses it. */

import type { GuardrailRecord } from "../../../shared/guardrails.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import type { GuardrailsModel } from "../../models/guardrails/guardrails.ts";
import { deleteGuardrailText } from "../../text/guardrails.ts";

const deleteGuardrail = operation<"guardrails.delete">("DELETE", "/guardrails/:id");

export function DeleteGuardrail({ guardrail: { id, name }, list }: {
  readonly guardrail: GuardrailRecord;
  readonly list: GuardrailsModel;
}) {
  const { text, ...words } = deleteGuardrailText;
  const keys = list.keyCounts.data.value?.of.get(id) ?? 0;
  const members = list.memberCounts.data.value?.of.get(id) ?? 0;
  return (
    <DeleteDialog
      name={name}
      text={deleteGuardrailText}
      work={() => app.api.call(deleteGuardrail, { params: { id } })}
      onDeleted={() => {
        app.router.setQuery({ open: undefined, view: undefined, delete: undefined });
        list.remove(id);
      }}
      onClose={() => list.openDelete(undefined)}
    >
      <p>{words.holders(words.keys(keys), words.members(members))}</p>
      <p class="soft">{text}</p>
    </DeleteDialog>
  );
}
