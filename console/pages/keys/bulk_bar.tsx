/** Actions for several selected keys. */

import { useSignal } from "@preact/signals";
import type { KeysModel } from "../../models/keys/keys.ts";
import { type BulkKind, bulkText } from "../../text/key_bulk.ts";
import { BulkDialog } from "./bulk_dialog.tsx";

export function BulkBar({ model }: { readonly model: KeysModel }) {
  /** The change whose dialog is open. */
  const kind = useSignal<BulkKind | undefined>(undefined);
  const count = model.selected.value.size;
  if (count === 0 && kind.value === undefined) return null;
  const button = (text: string, of: BulkKind, { danger = false } = {}) => (
    <button
      type="button"
      class={danger ? "button button-warn-text" : "button"}
      onClick={() => {
        kind.value = of;
      }}
    >
      {text}
    </button>
  );
  return (
    <>
      <div class="bulk" role="status">
        <span>{bulkText.selected(count)}</span>
        <button
          type="button"
          class="button button-plain"
          onClick={() => {
            model.selected.value = new Set();
          }}
        >
          {bulkText.clear}
        </button>
        {button(bulkText.change, "limit")}
        {button(bulkText.enable, "enable")}
        {button(bulkText.disable, "disable")}
        {button(bulkText.delete, "delete", { danger: true })}
      </div>
      {kind.value !== undefined && (
        <BulkDialog
          list={model}
          kind={kind.value}
          onClose={() => {
            kind.value = undefined;
          }}
        />
      )}
    </>
  );
}
