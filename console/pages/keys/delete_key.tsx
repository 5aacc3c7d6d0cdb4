/** Deletes a key, after saying what that means. */

import { useSignal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SwitchRow } from "../../components/forms/field.tsx";
import type { KeysModel } from "../../models/keys/keys.ts";
import { toError } from "../../resource.ts";
import { commonText } from "../../text/common.ts";
import { deleteKeyText } from "../../text/keys.ts";

const deleteKey = operation<"keys.delete">("DELETE", "/keys/:hash");

export function DeleteKey({ record, list, onClose }: {
  readonly record: KeyRecord;
  readonly list: KeysModel;
  readonly onClose: () => void;
}) {
  const abort = useSignal(false);
  const busy = useSignal(false);
  const refusal = useSignal<Error | undefined>(undefined);
  const remove = async () => {
    busy.value = true;
    try {
      await app.api.call(deleteKey, { params: { hash: record.hash }, query: { abort: abort.value } });
      onClose();
      list.remove(record.hash);
      list.openKey(undefined);
      app.toasts.show(deleteKeyText.deleted(record.name), { tone: "good" });
    } catch (error) {
      refusal.value = toError(error);
      busy.value = false;
    }
  };
  return (
    <Dialog
      title={deleteKeyText.title(record.name)}
      onClose={onClose}
      onSubmit={() => void remove()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>{commonText.cancel}</button>
          <button type="submit" class="button button-danger" disabled={busy.value}>
            {deleteKeyText.delete(record.name)}
          </button>
        </>
      }
    >
      <Refusal title={deleteKeyText.failed} error={refusal.value} />
      <p class="soft">{deleteKeyText.text}</p>
      <SwitchRow
        label={deleteKeyText.abort}
        hint={deleteKeyText.abortHint}
        checked={abort.value}
        onChange={(on) => {
          abort.value = on;
        }}
      />
    </Dialog>
  );
}
