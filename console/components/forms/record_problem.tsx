/** Remark above the fields of a panel: why its record could not be read or saved. */

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { commonText } from "../../text/common.ts";
import { Callout } from "../callout.tsx";

/** As much of an edit model as tells what is wrong. */
interface EditedRecord {
  readonly fault: ReadonlySignal<Error | undefined>;
  /** The fault is that the gateway did not save it. */
  readonly refusal: ReadonlySignal<Error | undefined>;
  readonly isConflict: ReadonlySignal<boolean>;
  readonly isGone: ReadonlySignal<boolean>;
  readonly reload: () => Promise<void>;
}

/** Titles. */
interface RecordProblemText {
  readonly unreadable: string;
  readonly notSaved: string;
  /** Somebody has deleted it. */
  readonly gone: string;
}

interface RecordProblemProps {
  readonly model: EditedRecord;
  readonly names: RecordProblemText;
  /** A refusal is said at a field, which is shown. */
  readonly isAtField?: boolean;
}

/** Scrolls to what appears above, however far the panel was scrolled. */
function Seen({ isShown, children }: { readonly isShown: boolean; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isShown) box.current?.scrollIntoView({ block: "nearest" });
  }, [isShown]);
  return <div ref={box}>{children}</div>;
}

function titleOf({ model, names }: RecordProblemProps): string {
  if (model.isGone.value) return names.gone;
  return model.refusal.value === undefined ? names.unreadable : names.notSaved;
}

/** Says what the gateway or somebody else has done; typed fields stay as they are. */
export function RecordProblem({ isAtField = false, ...props }: RecordProblemProps) {
  const { fault: { value: fault }, isGone, isConflict } = props.model;
  if (fault === undefined) return null;
  const text = isGone.value ? commonText.goneText : isAtField ? commonText.atField : fault.message;
  return (
    <Seen key={fault.message} isShown={!isAtField}>
      <Callout tone="bad" live="alert">
        <b>{titleOf(props)}</b>
        <p class="soft">{text}</p>
        {isConflict.value && (
          <button type="button" class="link" onClick={() => void props.model.reload()}>
            {commonText.reload}
          </button>
        )}
      </Callout>
    </Seen>
  );
}
