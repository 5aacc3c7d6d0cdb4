/** Asks before typed changes are dropped. */

import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { unsavedText } from "../text/common.ts";
import { discardAndGo, keepEditing } from "../unsaved.ts";

export function UnsavedDialog() {
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);
  return (
    <Dialog
      title={unsavedText.title}
      onClose={keepEditing}
      foot={
        <>
          <button type="button" ref={keep} class="button button-primary" onClick={keepEditing}>
            {unsavedText.keep}
          </button>
          <button type="button" class="button button-warn-text" onClick={discardAndGo}>
            {unsavedText.discard}
          </button>
        </>
      }
    >
      <p>{unsavedText.text}</p>
    </Dialog>
  );
}
