/** A new text for a key, with a time in which the old one still works. */

import { useSignal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { operation } from "../../api.ts";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { OverlapField, USUAL_OVERLAP } from "../../components/forms/overlap_field.tsx";
import type { KeysModel } from "../../models/keys/keys.ts";
import { rotateText } from "../../text/keys.ts";
import { CreatedKey } from "./created_key.tsx";

const rotateKey = operation<"keys.rotate">("POST", "/keys/:hash/rotate");

export function RotateKey({ record, list, onClose }: {
  readonly record: KeyRecord;
  readonly list: KeysModel;
  readonly onClose: () => void;
}) {
  const overlap = useSignal(USUAL_OVERLAP);
  const action = useAction(() => {
    const body = { overlap_seconds: Number(overlap.value) };
    return app.api.call(rotateKey, { params: { hash: record.hash }, body });
  });
  if (action.result.value !== undefined) {
    const { data, key } = action.result.value;
    const done = () => {
      onClose();
      list.openKey(data.hash);
      void list.restart();
    };
    return <CreatedKey record={data} text={key} onClose={done} />;
  }
  return (
    <ActionDialog
      title={rotateText.title(record.name)}
      action={action}
      submit={rotateText.rotate}
      failed={rotateText.failed}
      onClose={onClose}
    >
      <p class="soft">{rotateText.text}</p>
      <OverlapField
        value={overlap.value}
        onChange={(value) => {
          overlap.value = value;
        }}
      />
    </ActionDialog>
  );
}
