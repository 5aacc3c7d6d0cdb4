/** The foot of a panel with changes: before → after, and the buttons that keep or drop them. */

import type { ReadonlySignal } from "@preact/signals";
import { app } from "../../app.ts";
import { commonText } from "../../text/common.ts";
import { type Change, Diff } from "../diff.tsx";

interface SaveBarProps {
  /** As much of an EditModel as the bar shows. */
  readonly model: {
    readonly changes: ReadonlySignal<readonly Change[]>;
    readonly canSave: ReadonlySignal<boolean>;
    save(): Promise<boolean>;
    discard(): void;
  };
  /** Saves in place of `model.save`; resolves with false where that was refused. */
  readonly onSave?: () => Promise<boolean>;
  /** Said when it was saved. */
  readonly saved: string;
}

export function SaveBar({ model, onSave = () => model.save(), saved }: SaveBarProps) {
  const save = async () => {
    if (await onSave()) app.toasts.show(saved, { tone: "good" });
  };
  return (
    <>
      <div>
        <Diff changes={model.changes.value} becomes={commonText.becomes} />
      </div>
      <span class="push row">
        <button type="button" class="button button-plain" onClick={() => model.discard()}>
          {commonText.discard}
        </button>
        <button
          type="button"
          class="button button-primary"
          disabled={!model.canSave.value}
          onClick={() => void save()}
        >
          {commonText.save}
        </button>
      </span>
    </>
  );
}
