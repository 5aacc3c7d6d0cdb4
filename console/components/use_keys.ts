/** Keys that a part of the page listens to while it is shown, wherever the focus is. */

import { useLayoutEffect } from "preact/hooks";

/**
 * Calls `press` for each key from the moment in which the part is on the page: an effect would begin after the next
 * frame, and lose what is pressed before.
 */
export function useKeys(press: (event: KeyboardEvent) => void, inputs: readonly unknown[] = []): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, inputs);
}
