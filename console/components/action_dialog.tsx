/** A dialog that does one thing: whether it is doing it, why that was refused, and its result. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { toError } from "../resource.ts";
import { commonText } from "../text/common.ts";
import { Refusal } from "./callout.tsx";
import { Dialog } from "./dialog.tsx";

interface Action<T> {
  readonly busy: ReadonlySignal<boolean>;
  readonly refusal: ReadonlySignal<Error | undefined>;
  /** Undefined until it has been done. */
  readonly result: ReadonlySignal<T | undefined>;
  readonly start: () => void;
}

/** Runs `work` at a start; an error that it throws is the refusal. */
export function useAction<T>(work: () => Promise<T>): Action<T> {
  const busy = useSignal(false);
  const refusal = useSignal<Error | undefined>(undefined);
  const result = useSignal<T | undefined>(undefined);
  const run = async () => {
    busy.value = true;
    try {
      result.value = await work();
    } catch (error) {
      refusal.value = toError(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy, refusal, result, start: () => void run() };
}

interface ActionDialogProps {
  readonly title: string;
  readonly action: Pick<Action<unknown>, "busy" | "refusal" | "start">;
  /** Text of the button that does it. */
  readonly submit: string;
  readonly danger?: boolean;
  /** Something is missing, so that it cannot be done. */
  readonly disabled?: boolean;
  /** Text of the button that does not. */
  readonly cancel?: string;
  /** Title of a refusal. */
  readonly failed: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function ActionDialog(
  { action, submit, danger = false, disabled = false, cancel = commonText.cancel, failed, ...props }:
    ActionDialogProps,
) {
  const { title, wide, onClose, children } = props;
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      onSubmit={() => {
        if (!disabled) action.start();
      }}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>{cancel}</button>
          <button
            type="submit"
            class={`button ${danger ? "button-danger" : "button-primary"}`}
            disabled={action.busy.value || disabled}
          >
            {submit}
          </button>
        </>
      }
    >
      <Refusal title={failed} error={action.refusal.value} />
      {children}
    </Dialog>
  );
}
