/** Deletes a provider key, after saying what that means. */

import type { ByokRecord } from "../../../shared/byok.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { providerKeyName, type ProviderKeysModel } from "../../models/access/provider_keys.ts";
import { deleteProviderKeyText } from "../../text/access/provider_keys.ts";
import { discardAndGo } from "../../unsaved.ts";

const deleteKey = operation<"byok.delete">("DELETE", "/byok/:id");

export function DeleteProviderKey({ record, list, onClose }: {
  readonly record: ByokRecord;
  readonly list: ProviderKeysModel;
  readonly onClose: () => void;
}) {
  const name = providerKeyName(record);
  return (
    <DeleteDialog
      name={name}
      text={deleteProviderKeyText}
      work={() => app.api.call(deleteKey, { params: { id: record.id } })}
      onDeleted={() => {
        onClose();
        discardAndGo();
        list.remove(record.id);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteProviderKeyText.text}</p>
    </DeleteDialog>
  );
}
