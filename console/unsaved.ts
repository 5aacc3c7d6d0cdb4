/** Changes that were typed and are not saved: whatever would drop them is held until the user has said so. */

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { app } from "./app.ts";
import type { RouterTarget } from "./router.ts";

/** As much of an edit model as tells whether something would be lost. */
interface Editor {
  readonly isChanged: () => boolean;
  readonly discard: () => void;
}

interface Registered {
  readonly editors: readonly Editor[];
  /** Filter of the address that names what is edited; another page, or another value of it, drops the changes. */
  readonly param: string;
  readonly path: string;
  readonly value: string | undefined;
}

const registered = new Set<Registered>();

const isChanged = ({ editors }: Registered): boolean => editors.some((editor) => editor.isChanged());

/** Goes on to where the user wanted to go; undefined while nothing is asked. */
export const heldStep = signal<(() => void) | undefined>(undefined);

/** Holds a step that would drop changes, and asks. */
function hold({ path, query }: RouterTarget, go: () => void): boolean {
  const isLost = [...registered].some((one) =>
    isChanged(one) && (path !== one.path || query.get(one.param) !== one.value)
  );
  if (isLost) heldStep.value = go;
  return isLost;
}

export function keepEditing(): void {
  heldStep.value = undefined;
}

/** Drops the changes and goes on. */
export function discardAndGo(): void {
  const go = heldStep.peek();
  for (const { editors } of registered) for (const editor of editors) editor.discard();
  heldStep.value = undefined;
  go?.();
}

/** Asks before a reload, in the browser's own words, and before every step within the console. */
export function watchUnsaved(): void {
  app.router.hold = hold;
  addEventListener("beforeunload", (event) => {
    if ([...registered].some(isChanged)) event.preventDefault();
  });
}

/** Names what a panel edits, as long as it is shown; `param` names it in the address. */
export function useUnsaved(param: string, editors: readonly Editor[]): void {
  useEffect(() => {
    const { path, query } = app.router;
    const own = { editors, param, path: path.peek(), value: query.peek().get(param) };
    registered.add(own);
    return () => void registered.delete(own);
  }, [param]);
}

interface EditedRow<Row> {
  readonly row: Row;
  readonly list: { readonly kept: Signal<Row | undefined> };
  readonly editors: readonly {
    readonly isChanged: ReadonlySignal<boolean>;
    readonly discard: () => void;
  }[];
}

/** As {@link useUnsaved}, for the row that `open` names: once something is typed it stays, also when somebody deletes it. */
export function useEditedRow<Row>({ row, list, editors }: EditedRow<Row>): void {
  useUnsaved(
    "open",
    editors.map((editor) => ({
      isChanged: () => editor.isChanged.peek(),
      discard: () => editor.discard(),
    })),
  );
  const isChanged = editors.some((editor) => editor.isChanged.value);
  useEffect(() => {
    list.kept.value = isChanged ? row : undefined;
  }, [isChanged, row]);
}
