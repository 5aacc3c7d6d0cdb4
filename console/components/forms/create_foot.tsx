/** The foot of a panel of something new: the buttons that leave it and that make it. */

import type { ReadonlySignal } from "@preact/signals";
import { commonText } from "../../text/common.ts";

interface CreateFootProps {
  /** As much of an EditModel as the foot shows. */
  readonly model: { readonly canSave: ReadonlySignal<boolean>; readonly saving: ReadonlySignal<boolean> };
  readonly names: { readonly create: string; readonly creating: string };
  readonly onCancel: () => void;
  readonly onCreate: () => Promise<unknown>;
}

export function CreateFoot({ model, names, onCancel, onCreate }: CreateFootProps) {
  return (
    <span class="push row">
      <button type="button" class="button" onClick={onCancel}>{commonText.cancel}</button>
      <button
        type="button"
        class="button button-primary"
        disabled={!model.canSave.value}
        onClick={() => void onCreate()}
      >
        {model.saving.value ? names.creating : names.create}
      </button>
    </span>
  );
}
