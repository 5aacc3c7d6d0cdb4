/** The forwarder of one container: started, fed and ended by the keeper, which hands its frames on. */

import { fileURLToPath } from "node:url";
import type { Clock } from "../../../runtime.ts";
import { FrameError, FrameReader, FrameWriter, streamReader } from "../../keeper/frames.ts";
import { PIPED } from "../box_run.ts";
import { endSandbox, firstProcess } from "../process_tree.ts";
import {
  type ForwarderEvent,
  forwarderEventSchema,
  type ForwarderRequest,
  MAX_DATA_BYTES,
} from "./forwarder_messages.ts";

const localPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Parts that it is made of. */
export const forwarderFiles = {
  deno: Deno.execPath(),
  forwarder: localPath("forwarder.ts"),
  frames: localPath("../../keeper/frames.ts"),
} as const;

type Bytes = Uint8Array<ArrayBuffer>;

interface ForwarderRunOptions {
  readonly chain: readonly string[];
  readonly clock: Clock;
  readonly onEvent: (event: ForwarderEvent, body: Bytes) => Promise<void>;
}

export class ForwarderRun {
  readonly #child: Deno.ChildProcess;
  readonly #requests: FrameWriter;
  readonly #clock: Clock;
  readonly #onEvent: ForwarderRunOptions["onEvent"];
  /** Resolves at its end. Rejects where it says what makes no sense, or the gateway cannot be told. */
  readonly ended: Promise<void>;

  /** Throws where the system does not start it. */
  constructor({ chain, clock, onEvent }: ForwarderRunOptions) {
    const [command = "", ...args] = chain;
    this.#child = new Deno.Command(command, { ...PIPED, args, stderr: "null" }).spawn();
    this.#requests = new FrameWriter(this.#child.stdin);
    this.#clock = clock;
    this.#onEvent = onEvent;
    this.ended = this.#listen();
  }

  /** Process whose network commands share; undefined before it is there. */
  get process(): number | undefined {
    return firstProcess(this.#child.pid);
  }

  send(request: ForwarderRequest, body: Bytes): void {
    this.#requests.write(request, body).catch(() => {
      // The pipe is broken: its end says so.
    });
  }

  /** Ends it at once; harmless when it has ended. */
  kill(): void {
    endSandbox(this.#child, this.#clock);
  }

  async #listen(): Promise<void> {
    const events = new FrameReader(streamReader(this.#child.stdout));
    try {
      for (let frame = await events.next(); frame !== undefined; frame = await events.next()) {
        if (frame.body.length > MAX_DATA_BYTES) throw new FrameError("A frame is too long");
        await this.#onEvent(forwarderEventSchema.parse(frame.header), frame.body);
      }
    } finally {
      this.kill();
      await this.#requests.close();
      await this.#child.status;
    }
  }
}
