/** Has another instance do what needs the process of a container that it has, or lets it keep others out meanwhile. */

import type { Transport } from "../../../providers/upstream/transport.ts";
import type { Runtime } from "../../../runtime.ts";
import { encodeFileId } from "../container_ids.ts";
import type { LeaseHolder } from "../container_leases.ts";
import type { ContainerKey } from "../container_store.ts";
import type { CommandResult, RunInput, RunResult } from "../containers.ts";
import { type CallSignatures, SIGNATURE_HEADER } from "./call_signatures.ts";
import type {
  ForwardedOperation,
  InstanceMessage,
  runCallSchema,
  turnCallSchema,
} from "./forwarding_messages.ts";
import { callInstance, type ExchangeMessage, type InstanceRequest } from "./instance_exchange.ts";
import type * as z from "zod";

interface ForwardingClientDeps {
  readonly transport: Transport;
  readonly signatures: CallSignatures;
  readonly runtime: Pick<Runtime, "clock" | "log">;
}

/** The container, and the instance that has it. */
interface ForwardingTarget {
  readonly holder: LeaseHolder;
  readonly key: ContainerKey;
}

interface ForwardedRun extends ForwardingTarget {
  readonly input: RunInput;
}

interface ForwardedTurn<T> extends ForwardingTarget {
  readonly signal: AbortSignal;
  readonly work: () => Promise<T>;
}

interface ForwardedCall extends ForwardingTarget {
  readonly operation: ForwardedOperation;
  readonly body: z.input<typeof runCallSchema> | z.input<typeof turnCallSchema>;
  readonly signal: AbortSignal;
}

/** Undefined where the instance cannot be reached, or has the container no more: then it has done nothing. */
type Done<T> = { readonly value: T } | undefined;

const LOST =
  "This command was sent to another instance of the gateway, which then stopped answering. Whether it ran to its end " +
  "and its changes of files were kept is not known: look before you run it again.";
const FAILED = "This command could not be run: the instance of the gateway that has this container failed.";

type Ended = Extract<InstanceMessage, { readonly type: "ended" }>;

export class ForwardingClient {
  readonly #deps: ForwardingClientDeps;

  constructor(deps: ForwardingClientDeps) {
    this.#deps = deps;
  }

  /** Rejects with the signal's reason only. */
  async run({ input, ...target }: ForwardedRun): Promise<Done<RunResult>> {
    const { language, commands, timeoutMs, signal } = input;
    const { workspaceId } = target.key;
    const body = { workspace_id: workspaceId, language, commands: [...commands], timeout_ms: timeoutMs };
    const results: CommandResult[] = [];
    let hasBegun = false;
    try {
      for await (const message of this.#call({ ...target, operation: "run", body, signal })) {
        if (message.type === "gone") return undefined;
        if (message.type === "ended") return { value: resultOf(message, results) };
        if (message.type === "failed") return { value: brokenOff({ commands, results, reason: FAILED }) };
        hasBegun = true;
        if (message.type === "ran" && results.length < commands.length) {
          const { type: _type, ...ran } = message;
          results.push({ command: commands[results.length] ?? "", ...ran });
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      this.#warn(target, error);
    }
    return hasBegun ? { value: brokenOff({ commands, results, reason: LOST }) } : undefined;
  }

  /** Does the work here, while the instance lets nothing else run in the container. Rejects as the work does. */
  async turn<T>({ signal, work, ...target }: ForwardedTurn<T>): Promise<Done<T>> {
    const body = { workspace_id: target.key.workspaceId };
    const messages = this.#call({ ...target, operation: "turn", body, signal });
    try {
      return await this.#isGranted(messages, { ...target, signal }) ? { value: await work() } : undefined;
    } finally {
      await messages.return(undefined);
    }
  }

  async #isGranted(
    messages: AsyncGenerator<ExchangeMessage>,
    { signal, ...target }: ForwardingTarget & Pick<ForwardedCall, "signal">,
  ): Promise<boolean> {
    try {
      for (let next = await messages.next(); !next.done; next = await messages.next()) {
        if (next.value.type !== "begun") return next.value.type === "granted";
      }
    } catch (error) {
      signal.throwIfAborted();
      this.#warn(target, error);
    }
    return false;
  }

  async *#call({ holder, key, operation, body, signal }: ForwardedCall): AsyncGenerator<ExchangeMessage> {
    const { transport, signatures, runtime: { clock } } = this.#deps;
    const text = JSON.stringify(body);
    const path = `/internal/containers/${key.id}/${operation}`;
    const signature = await signatures.sign({ method: "POST", path }, { to: holder.id, body: text });
    const request: InstanceRequest = {
      url: holder.url + path,
      baseUrl: holder.url,
      headers: { "content-type": "application/json", [SIGNATURE_HEADER]: signature },
      body: text,
      signal,
    };
    yield* callInstance({ transport, clock }, request);
  }

  #warn({ holder, key }: ForwardingTarget, error: unknown): void {
    this.#deps.runtime.log.warn("Cannot have another instance work in its container", {
      container: key.id,
      host: holder.url,
      error: String(error),
    });
  }
}

function resultOf({ files, notes, seconds }: Ended, results: readonly CommandResult[]): RunResult {
  const named = files.flatMap(({ path, size }) => {
    const fileId = encodeFileId(path);
    return fileId === undefined ? [] : [{ fileId, path, size }];
  });
  return { results, files: named, notes, seconds };
}

interface BrokenRun extends Pick<RunInput, "commands"> {
  readonly results: readonly CommandResult[];
  readonly reason: string;
}

/** The results that are there, and why there is none of the next command. */
function brokenOff({ commands, results, reason }: BrokenRun): RunResult {
  const command = commands[results.length] ?? "";
  const failed: CommandResult = { command, stdout: "", stderr: "", status: { type: "failed", reason } };
  return { results: [...results, failed], files: [], notes: [], seconds: 0 };
}
