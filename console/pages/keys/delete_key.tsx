/** Deletes a key, after saying what that means. */

import { useSignal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { operation } from "../../api.ts";
import { discardAndGo } from "../../unsaved.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import { SwitchRow } from "../../components/forms/field.tsx";
import type { KeysModel } from "../../models/keys/keys.ts";
import { deleteKeyText } from "../../text/keys.ts";

const deleteKey = operation<"keys.delete">("DELETE", "/keys/:hash");

export function DeleteKey({ record, list, onClose }: {
  readonly record: KeyRecord;
  readonly list: KeysModel;
  readonly onClose: () => void;
}) {
  const abort = useSignal(false);
  const { hash, name } = record;
  return (
    <DeleteDialog
      name={name}
      text={deleteKeyText}
      work={() => app.api.call(deleteKey, { params: { hash }, query: { abort: abort.value } })}
      onDeleted={() => {
        onClose();
        list.remove(hash);
        discardAndGo();
        list.openKey(undefined);
      }}
      onClose={onClose}
    >
      <p class="soft">{deleteKeyText.text}</p>
      <SwitchRow
        label={deleteKeyText.abort}
        hint={deleteKeyText.abortHint}
        checked={abort.value}
        onChange={(on) => {
          abort.value = on;
        }}
      />
    </DeleteDialog>
  );
}
