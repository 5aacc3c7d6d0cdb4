/** Actions for several selected keys. */

import { useSignal } from "@preact/signals";
import { app } from "../../app.ts";
import { Dialog } from "../../components/dialog.tsx";
import type { KeysModel } from "../../models/keys/keys.ts";
import { commonText } from "../../text/common.ts";
import { keysText } from "../../text/keys.ts";

function ConfirmDisable({ model, onClose }: { readonly model: KeysModel; readonly onClose: () => void }) {
  const count = model.selected.value.size;
  const done = useSignal<number | undefined>(undefined);
  const disable = async () => {
    const outcome = await model.disableSelected((at) => {
      done.value = at;
    });
    const text = outcome.failed.length === 0
      ? keysText.disabledAll(outcome.done)
      : keysText.disabledSome(outcome.done, outcome.failed);
    app.toasts.show(text, { tone: outcome.failed.length === 0 ? "good" : "bad" });
    onClose();
  };
  return (
    <Dialog
      title={keysText.confirmDisable(count)}
      onClose={onClose}
      onSubmit={() => void disable()}
      foot={
        <>
          <button type="button" class="button" disabled={done.value !== undefined} onClick={onClose}>
            {commonText.cancel}
          </button>
          <button type="submit" class="button button-danger" disabled={done.value !== undefined}>
            {done.value === undefined
              ? keysText.confirmDisable(count)
              : keysText.disabling(done.value, count)}
          </button>
        </>
      }
    >
      <p class="soft">{keysText.confirmDisableText}</p>
    </Dialog>
  );
}

export function BulkBar({ model }: { readonly model: KeysModel }) {
  const confirming = useSignal(false);
  const count = model.selected.value.size;
  if (count === 0 && !confirming.value) return null;
  return (
    <>
      <div class="bulk" role="status">
        <span>{keysText.selected(count)}</span>
        <button
          type="button"
          class="button button-plain"
          onClick={() => {
            model.selected.value = new Set();
          }}
        >
          {keysText.clear}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            confirming.value = true;
          }}
        >
          {keysText.disable}
        </button>
      </div>
      {confirming.value && (
        <ConfirmDisable
          model={model}
          onClose={() => {
            confirming.value = false;
          }}
        />
      )}
    </>
  );
}
