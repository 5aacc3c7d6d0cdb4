/** A question or a form above the page: the browser's own `dialog`, one at a time. */

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { commonText } from "../text/common.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Its buttons. */
  readonly foot?: ComponentChildren;
  readonly wide?: boolean;
  /** Makes the dialog a form, which Enter submits. */
  readonly onSubmit?: () => void;
  /** Neither Esc nor a button of the head closes it: what it shows is shown once. */
  readonly mustAnswer?: boolean;
  readonly onClose: () => void;
}

/** Shows the dialog while the component is there; `closed` is for when the browser closes it. */
function useModal({ mustAnswer, onClose }: Required<Pick<DialogProps, "mustAnswer" | "onClose">>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      isShown.current = false;
      shown?.close();
    };
  }, []);
  // It does so by itself where Esc meets a button that is disabled while it has the focus.
  const closed = () => {
    if (!isShown.current) return;
    if (mustAnswer) dialog.current?.showModal();
    else onClose();
  };
  return { dialog, closed };
}

export function Dialog(
  { title, children, foot, wide = false, onSubmit, mustAnswer = false, onClose }: DialogProps,
) {
  const { dialog, closed } = useModal({ mustAnswer, onClose });
  const id = useId();
  // Not by `cancel`: browsers close a dialog at the second Esc in a row whatever the page says there.
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    if (!mustAnswer) onClose();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit?.();
  };
  const content = (
    <>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!mustAnswer && (
          <button
            type="button"
            class="button button-icon button-plain"
            aria-label={commonText.close}
            onClick={onClose}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      <div class="dialog-body">{children}</div>
      {foot !== undefined && <div class="dialog-foot">{foot}</div>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog-wide" : undefined}
      aria-labelledby={id}
      onKeyDown={press}
      onClose={closed}
    >
      {onSubmit === undefined ? content : <form noValidate onSubmit={submit}>{content}</form>}
    </dialog>
  );
}
