/** Sources that own something which has to be given back. */

import type { Source } from "../../protocols/stream/source.ts";

/** Calls `end` once: after the last batch, on an error, or when it is cancelled (then not during a pull). */
export function onSourceEnd<T>(source: Source<T>, end: () => void): Source<T> {
  let open = true;
  let pulling = false;
  let leaving = false;
  const close = () => {
    if (open) end();
    open = false;
  };
  const pull = async () => {
    if (!open || leaving) return undefined;
    pulling = true;
    try {
      const batch = await source.pull();
      if (batch === undefined || leaving) close();
      return leaving ? undefined : batch;
    } catch (error) {
      close();
      throw error;
    } finally {
      pulling = false;
    }
  };
  const cancel = (reason: string) => {
    leaving = true;
    source.cancel(reason);
    if (!pulling) close();
  };
  return { pull, cancel };
}
