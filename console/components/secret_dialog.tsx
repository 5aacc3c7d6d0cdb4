/** A secret that is shown this once: the dialog goes when somebody says that it is stored. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { secretText } from "../text/common.ts";
import { Callout } from "./callout.tsx";
import { Secret } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

export function SecretDialog({ title, secret, wide, onClose, children }: {
  readonly title: string;
  readonly secret: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /** Below the secret. */
  readonly children: ComponentChildren;
}) {
  const stored = useSignal(false);
  return (
    <Dialog
      title={title}
      mustAnswer
      wide={wide}
      onClose={onClose}
      foot={
        <>
          <label class="row small push soft">
            <input
              class="check"
              type="checkbox"
              checked={stored.value}
              onChange={(event) => {
                stored.value = event.currentTarget.checked;
              }}
            />
            {secretText.stored}
          </label>
          <button type="button" class="button button-primary" disabled={!stored.value} onClick={onClose}>
            {secretText.done}
          </button>
        </>
      }
    >
      <Callout tone="warn">
        <p>{secretText.once}</p>
      </Callout>
      <Secret text={secret} />
      {children}
    </Dialog>
  );
}
