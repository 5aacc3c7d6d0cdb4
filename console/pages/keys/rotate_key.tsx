/** A new text for a key, with a time in which the old one still works. */

import { useSignal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import { operation, type OperationResult } from "../../api.ts";
import { app } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { SelectField } from "../../components/forms/field.tsx";
import type { KeysModel } from "../../models/keys/keys.ts";
import { toError } from "../../resource.ts";
import { commonText } from "../../text/common.ts";
import { rotateText } from "../../text/keys.ts";
import { CreatedKey } from "./created_key.tsx";

const rotateKey = operation<"keys.rotate">("POST", "/keys/:hash/rotate");

const choices = (["0", "3600", "86400", "604800"] as const).map((value) => ({
  value: String(value),
  text: rotateText.choices[value],
}));

export function RotateKey({ record, list, onClose }: {
  readonly record: KeyRecord;
  readonly list: KeysModel;
  readonly onClose: () => void;
}) {
  const overlap = useSignal("3600");
  const busy = useSignal(false);
  const refusal = useSignal<Error | undefined>(undefined);
  const made = useSignal<OperationResult<"keys.rotate"> | undefined>(undefined);
  const rotate = async () => {
    busy.value = true;
    try {
      const body = { overlap_seconds: Number(overlap.value) };
      made.value = await app.api.call(rotateKey, { params: { hash: record.hash }, body });
    } catch (error) {
      refusal.value = toError(error);
    } finally {
      busy.value = false;
    }
  };
  if (made.value !== undefined) {
    const { data, key } = made.value;
    const done = () => {
      onClose();
      list.openKey(data.hash);
      void list.restart();
    };
    return <CreatedKey record={data} text={key} onClose={done} />;
  }
  return (
    <Dialog
      title={rotateText.title(record.name)}
      onClose={onClose}
      onSubmit={() => void rotate()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>{commonText.cancel}</button>
          <button type="submit" class="button button-primary" disabled={busy.value}>
            {rotateText.rotate}
          </button>
        </>
      }
    >
      <Refusal title={rotateText.failed} error={refusal.value} />
      <p class="soft">{rotateText.text}</p>
      <SelectField
        label={rotateText.overlap}
        hint={rotateText.overlapHint}
        choices={choices}
        value={overlap.value}
        onChange={(value) => {
          overlap.value = value;
        }}
      />
    </Dialog>
  );
}
