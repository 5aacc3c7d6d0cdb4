/** Does what other instances ask of this one, for containers that it has: nothing is handed on to a third one. */

import { ApiError } from "../../../../shared/errors.ts";
import { isLongText, nextLongStep } from "../../../../shared/util/long_step.ts";
import type { Clock, Runtime } from "../../../runtime.ts";
import { isContainerId } from "../container_ids.ts";
import type { ContainerLeases } from "../container_leases.ts";
import type { ContainerKey } from "../container_store.ts";
import { ContainerInUse } from "../containers.ts";
import type { SessionContainer } from "../session_container.ts";
import { type CallSignatures, SIGNATURE_HEADER } from "./call_signatures.ts";
import {
  BEAT_MS,
  type ForwardedOperation,
  forwardedOperations,
  type InstanceMessage,
  MESSAGE_PREFIX,
  runCallSchema,
  turnCallSchema,
} from "./forwarding_messages.ts";
import type * as z from "zod";

interface ForwardedCallsDeps {
  readonly signatures: CallSignatures;
  readonly leases: Pick<ContainerLeases, "instance" | "has">;
  readonly containers: {
    /** Throws an ApiError (404). */
    readonly find: (key: ContainerKey) => Promise<SessionContainer>;
    /** Whether this instance has a process of it. */
    readonly hasProcess: (key: ContainerKey) => boolean;
  };
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

interface CallHead {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly header: (name: string) => string | null;
}

/** A head that an instance of this gateway has signed. */
type SignedHead = Extract<Awaited<ReturnType<CallSignatures["check"]>>, { readonly type: "valid" }>;

interface SignedCall {
  /** Undefined for a body that the signature is not of. Throws an ApiError (404, 400). */
  readonly begin: (input: CallInput) => Promise<CallAnswer | undefined>;
}

interface CallInput {
  /** The container's, from the path. */
  readonly id: string;
  readonly operation: string;
  /** JSON text. */
  readonly body: string;
}

/** The answer to a call, as frames of an event stream. */
interface CallAnswer {
  /** Undefined at the end. Never called while a call is pending; never rejects. */
  next(): Promise<string | undefined>;
  /** The caller has left: what it wanted is ended. */
  close(): void;
}

/** Milliseconds after which a container is taken back from an instance that changes its files. */
const TURN_MS = 60_000;

export class ForwardedCalls {
  readonly #deps: ForwardedCallsDeps;

  constructor(deps: ForwardedCallsDeps) {
    this.#deps = deps;
  }

  /** Milliseconds of silence after which the caller has to be told that it is waited for. */
  get beatMs(): number {
    return BEAT_MS;
  }

  /** Undefined for a call that no instance has signed, or not just now, or that came before. */
  async check({ header, ...call }: CallHead): Promise<SignedCall | undefined> {
    const head = await this.#deps.signatures.check(call, header(SIGNATURE_HEADER));
    if (head.type === "valid") return { begin: (input) => this.#begin(head, input) };
    if (head.type !== "unsigned") {
      this.#deps.runtime.log.warn("Refused call of another instance", { reason: head.type });
    }
    return undefined;
  }

  async #begin(
    { to, isOf }: SignedHead,
    { id, operation, body }: CallInput,
  ): Promise<CallAnswer | undefined> {
    if (!await isOf(body)) return undefined;
    const known = forwardedOperations.find((one) => one === operation);
    if (known === undefined || !isContainerId(id)) throw new ApiError("not_found", "There is nothing here.");
    const abort = new AbortController();
    const call = { ...parseCall(known, body), id, to, signal: abort.signal };
    return new MessageFeed(this.#answer(call), { abort, log: this.#deps.runtime.log });
  }

  async *#answer(call: ForwardedCall): AsyncGenerator<InstanceMessage> {
    const { leases, containers } = this.#deps;
    const key = { workspaceId: call.workspace_id, id: call.id };
    const isHere = call.to === leases.instance && (leases.has(key) || containers.hasProcess(key));
    const container = isHere ? await containers.find(key).catch(undefinedIfGone) : undefined;
    if (container === undefined) yield { type: "gone" };
    else if (call.operation === "run") yield* runMessages(container, call);
    else yield* turnMessages(container, { ...call, ...this.#deps.runtime });
  }
}

interface CallFacts {
  readonly id: string;
  readonly to: string;
  readonly signal: AbortSignal;
}

type RunCall = z.output<typeof runCallSchema> & { readonly operation: "run" };
type TurnCall = z.output<typeof turnCallSchema> & { readonly operation: "turn" };
type ForwardedCall = (RunCall | TurnCall) & CallFacts;

/** Throws an ApiError (400). */
function parseCall(operation: ForwardedOperation, body: string): RunCall | TurnCall {
  try {
    const value: unknown = JSON.parse(body);
    return operation === "run"
      ? { ...runCallSchema.parse(value), operation }
      : { ...turnCallSchema.parse(value), operation };
  } catch (cause) {
    throw new ApiError("invalid_request", "The body is no such call.", { cause });
  }
}

/** It was deleted a moment ago. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.kind !== "not_found") throw error;
}

async function* runMessages(
  container: SessionContainer,
  { language, commands, timeout_ms, signal }: RunCall & CallFacts,
): AsyncGenerator<InstanceMessage> {
  const result = await container.runHere({ language, commands, timeoutMs: timeout_ms, signal });
  for (const { stdout, stderr, status } of result.results) yield { type: "ran", stdout, stderr, status };
  const files = result.files.map(({ path, size }) => ({ path, size }));
  yield { type: "ended", files, notes: [...result.notes], seconds: result.seconds };
}

async function* turnMessages(
  container: SessionContainer,
  { signal, clock }: CallFacts & { readonly clock: Clock },
): AsyncGenerator<InstanceMessage> {
  const granted = Promise.withResolvers<void>();
  const lent = container.lend(() => {
    granted.resolve();
    return isOver(signal, clock);
  });
  try {
    await Promise.race([granted.promise, lent]);
  } catch (error) {
    if (!(error instanceof ContainerInUse)) throw error;
    yield { type: "gone" };
    return;
  }
  yield { type: "granted" };
  await lent;
}

/** Resolves when the caller has left, or has had the container for long enough. */
function isOver(signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(TURN_MS, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

interface FeedOptions {
  readonly abort: AbortController;
  readonly log: Runtime["log"];
}

class MessageFeed implements CallAnswer {
  readonly #messages: AsyncGenerator<InstanceMessage>;
  readonly #options: FeedOptions;

  constructor(messages: AsyncGenerator<InstanceMessage>, options: FeedOptions) {
    this.#messages = messages;
    this.#options = options;
  }

  async next(): Promise<string | undefined> {
    try {
      const next = await this.#messages.next();
      if (next.done) return undefined;
      const { value } = next;
      if (value.type === "ran" && isLongText(value.stdout.length + value.stderr.length)) await nextLongStep();
      return frameOf(value);
    } catch (error) {
      if (this.#options.abort.signal.aborted) return undefined;
      this.#options.log.error("Cannot do what another instance asks for", { error: String(error) });
      return frameOf({ type: "failed" });
    }
  }

  close(): void {
    this.#options.abort.abort(new Error("The other instance has left"));
  }
}

const frameOf = (message: InstanceMessage): string => `${MESSAGE_PREFIX}${JSON.stringify(message)}\n\n`;
