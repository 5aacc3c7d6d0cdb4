/** A question or a form above the page: the browser's own `dialog`, one at a time. */

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
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

/**
 * Shows a dialog above the page while its component is there, from the first moment: an effect would begin after the
 * next frame, and what is typed before would not reach the dialog's first field.
 */
export function useModal() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(true);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      isShown.current = false;
      shown?.close();
    };
  }, []);
  return { dialog, isShown };
}

export function Dialog(
  { title, children, foot, wide = false, onSubmit, mustAnswer = false, onClose }: DialogProps,
) {
  const { dialog, isShown } = useModal();
  const id = useId();
  // The browser does so by itself where Esc meets a button that is disabled while it has the focus.
  const closed = () => {
    if (!isShown.current) return;
    if (mustAnswer) dialog.current?.showModal();
    else onClose();
  };
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
