/** One call of another instance: sent once, and its messages read as they come. */

import { isLongText, nextLongStep } from "../../../../shared/util/long_step.ts";
import type { Transport, UpstreamRequest, UpstreamResponse } from "../../../providers/upstream/transport.ts";
import type { Cancel, Clock } from "../../../runtime.ts";
import {
  type InstanceMessage,
  MAX_MESSAGE_BYTES,
  MESSAGE_PREFIX,
  messageSchema,
  SILENT_MS,
} from "./forwarding_messages.ts";

/** Milliseconds until the connection is there and the call was let in. */
const ANSWER_MS = 5_000;
/** Characters of a line that is no message: a beat. */
const MAX_BEAT_CHARS = 1_000;

export interface InstanceRequest extends Pick<UpstreamRequest, "url" | "baseUrl" | "headers" | "body"> {
  readonly signal: AbortSignal;
}

interface ExchangeDeps {
  readonly transport: Transport;
  readonly clock: Pick<Clock, "after">;
}

/** `begun`: the call was let in, and what it asks for may be done from now on. */
export type ExchangeMessage = { readonly type: "begun" } | InstanceMessage;

/**
 * The messages of the answer, `begun` in front. Rejects where the instance cannot be reached, does not let the call in,
 * is silent or makes no sense, and with the signal's reason. The connection is closed when the reader stops.
 */
export async function* callInstance(
  { transport, clock }: ExchangeDeps,
  { signal, ...request }: InstanceRequest,
): AsyncGenerator<ExchangeMessage> {
  signal.throwIfAborted();
  const abort = new AbortController();
  const leave = () => abort.abort(signal.reason);
  signal.addEventListener("abort", leave);
  const silence = new Silence(clock, (ms) => abort.abort(new Error(`It says nothing for ${ms} ms`)));
  try {
    silence.begin(ANSWER_MS);
    const response = await transport({
      ...request,
      credentialHash: "another instance",
      signal: abort.signal,
      fresh: true,
    });
    silence.end();
    if (response.status !== 200) throw new Error(`It answers with status ${response.status}`);
    yield { type: "begun" };
    yield* messagesOf(response, silence);
  } finally {
    silence.end();
    signal.removeEventListener("abort", leave);
    abort.abort(new Error("The call is over"));
  }
}

/** A wait for an instance that has an end. */
class Silence {
  readonly #clock: ExchangeDeps["clock"];
  readonly #onEnd: (ms: number) => void;
  #cancel: Cancel = () => {};

  constructor(clock: ExchangeDeps["clock"], onEnd: (ms: number) => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  begin(ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, () => this.#onEnd(ms));
  }

  /** It has said something. */
  end(): void {
    this.#cancel();
  }
}

/** Nothing is waited for while a reader works on a message: that may take as long as it likes. */
async function* messagesOf(
  response: Pick<UpstreamResponse, "read">,
  silence: Silence,
): AsyncGenerator<InstanceMessage> {
  const lines = new Lines();
  for (;;) {
    silence.begin(SILENT_MS);
    const bytes = await response.read();
    silence.end();
    if (bytes === undefined) return;
    for (const line of lines.take(bytes)) {
      const message = await messageOf(line);
      if (message !== undefined) yield message;
    }
  }
}

/** Undefined for a beat. Throws for what is neither. */
async function messageOf(line: string): Promise<InstanceMessage | undefined> {
  if (!line.startsWith(MESSAGE_PREFIX)) {
    if (line.length <= MAX_BEAT_CHARS) return undefined;
    throw new Error("It answers nonsense");
  }
  if (isLongText(line.length)) await nextLongStep();
  return messageSchema.parse(JSON.parse(line.slice(MESSAGE_PREFIX.length)));
}

/** Cuts bytes into lines. */
class Lines {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #chars = 0;

  /** The lines that these bytes complete. Throws where one is too long. */
  take(bytes: Uint8Array): readonly string[] {
    const [first = "", ...others] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    this.#chars += first.length;
    if (this.#chars > MAX_MESSAGE_BYTES) throw new Error("It answers with more than it may");
    this.#parts.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.#parts.join(""), ...others];
    [this.#parts, this.#chars] = [[last], last.length];
    return lines;
  }
}
