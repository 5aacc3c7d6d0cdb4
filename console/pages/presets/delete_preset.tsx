/** Deletes a preset, after saying what that means. */

import type { PresetRecord } from "../../../shared/presets/records.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { DeleteDialog } from "../../components/action_dialog.tsx";
import type { PresetsModel } from "../../models/presets/presets.ts";
import { deletePresetText } from "../../text/presets.ts";
import { discardAndGo } from "../../unsaved.ts";

const deletePreset = operation<"presets.delete">("DELETE", "/presets/:slug");

export function DeletePreset({ record: { id, slug, workspace_id }, list, onClose }: {
  readonly record: PresetRecord;
  readonly list: PresetsModel;
  readonly onClose: () => void;
}) {
  return (
    <DeleteDialog
      name={slug}
      text={deletePresetText}
      work={() => app.api.call(deletePreset, { params: { slug }, query: { workspace_id } })}
      onDeleted={() => {
        onClose();
        discardAndGo();
        list.remove(id);
      }}
      onClose={onClose}
    >
      <p class="soft">{deletePresetText.text}</p>
    </DeleteDialog>
  );
}
