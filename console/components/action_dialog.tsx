/** A dialog that does one thing: whether it is doing it, why that was refused, and its result. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
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
      refusal.value = undefined;
    } catch (error) {
      refusal.value = toError(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy, refusal, result, start: () => void run() };
}

/** Words of a deletion, by the name of what is deleted. */
interface DeletionText {
  readonly title: (name: string) => string;
  /** The button, with the verb and the name. */
  readonly delete: (name: string) => string;
  /** The button that deletes nothing. */
  readonly keep?: string;
  readonly failed: string;
  readonly deleted: (name: string) => string;
}

interface DeleteDialogProps {
  readonly name: string;
  readonly text: DeletionText;
  /** Deletes it. Throws what the gateway refuses. */
  readonly work: () => Promise<unknown>;
  /** Takes it out of what is shown; the dialog goes with that, or was closed before. */
  readonly onDeleted: () => void;
  readonly disabled?: boolean;
  readonly onClose: () => void;
  /** Consequences. */
  readonly children: ComponentChildren;
}

/** Deletes one thing, after saying what that means, and says so when it is gone. */
export function DeleteDialog({ name, text, work, onDeleted, ...props }: DeleteDialogProps) {
  const action = useAction(async () => {
    await work();
    app.toasts.show(text.deleted(name), { tone: "good" });
    onDeleted();
  });
  return (
    <ActionDialog
      title={text.title(name)}
      submit={text.delete(name)}
      cancel={text.keep}
      failed={text.failed}
      {...props}
      action={action}
      danger
    />
  );
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
