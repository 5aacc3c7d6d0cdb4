/** Sends one message to an address that somebody has named, and says whether it has arrived. */

import type { FetchedResource, FetchInput } from "../../web/fetch/guarded_fetch.ts";

/** For one answer. */
export const ANSWER_MS = 10_000;

/** Checks the address, also where it leads. Rejects with a FetchError, or with the signal's reason. */
export type SendMessage = (input: FetchInput) => Promise<Pick<FetchedResource, "status">>;

interface Message extends Pick<FetchInput, "url" | "signal"> {
  readonly post: NonNullable<FetchInput["post"]>;
}

interface PostResult {
  /** Null where none came. */
  readonly status: number | null;
  /** Why it has not arrived; undefined when it has. Of the address it names the host at most. */
  readonly error: string | undefined;
}

/** Redirects are not followed: they have not arrived. Throws the signal's reason. */
export async function postMessage(
  send: SendMessage,
  { signal, ...message }: Message,
): Promise<PostResult> {
  try {
    const { status } = await send({ ...message, signal, accepts: () => false, timeoutMs: ANSWER_MS });
    const hasArrived = status >= 200 && status < 300;
    return { status, error: hasArrived ? undefined : `The receiver answers with status ${status}` };
  } catch (error) {
    signal.throwIfAborted();
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}
