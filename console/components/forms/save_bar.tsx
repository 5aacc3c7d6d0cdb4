/** The foot of a panel with changes: before → after, and the buttons that keep or drop them. */

import { app } from "../../app.ts";
import { commonText } from "../../text/common.ts";
import { type Change, Diff } from "../diff.tsx";

export interface SaveBarProps {
  readonly changes: readonly Change[];
  readonly canSave: boolean;
  /** Resolves with false where the gateway refused. */
  readonly onSave: () => Promise<boolean>;
  readonly onDiscard: () => void;
  /** Said when it was saved. */
  readonly saved: string;
}

export function SaveBar({ changes, canSave, onSave, onDiscard, saved }: SaveBarProps) {
  const save = async () => {
    if (await onSave()) app.toasts.show(saved, { tone: "good" });
  };
  return (
    <>
      <div>
        <Diff changes={changes} becomes={commonText.becomes} />
      </div>
      <span class="push row">
        <button type="button" class="button button-plain" onClick={onDiscard}>{commonText.discard}</button>
        <button type="button" class="button button-primary" disabled={!canSave} onClick={() => void save()}>
          {commonText.save}
        </button>
      </span>
    </>
  );
}
