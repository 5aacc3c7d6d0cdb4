/** The child's end of the pipe to the gateway: requests come one after another, and calls go back in between. */

import { encodeFrame, FrameReader, FrameWriter, streamReader } from "../keeper/frames.ts";
import type { CallName, ProcessAnswer } from "../messages.ts";
import { processRequestSchema } from "../messages.ts";
import { decodePack, encodePack, type Pack } from "../pack.ts";

export interface GatewayRequest {
  readonly type: "load" | "run" | "read";
  /** Its number. */
  readonly request: number;
  readonly pack: Pack;
}

export class GatewayChannel {
  readonly #reader = new FrameReader(streamReader(Deno.stdin.readable));
  readonly #writer = new FrameWriter(Deno.stdout.writable);
  readonly #calls = new Map<number, (pack: Pack) => void>();
  #nextId = 0;

  /** Ends with the pipe. Throws for what is no request. */
  async *requests(): AsyncGenerator<GatewayRequest> {
    for (let frame = await this.#reader.next(); frame !== undefined; frame = await this.#reader.next()) {
      const request = processRequestSchema.parse(frame.header);
      const pack = decodePack(frame.body);
      if (request.type !== "answer") yield { ...request, pack };
      else this.#calls.get(request.id)?.(pack);
    }
  }

  /** The first frame of all. */
  async ready(): Promise<void> {
    await this.#writer.write({ type: "ready" });
  }

  async reply(header: ProcessAnswer, body?: Uint8Array): Promise<void> {
    await this.#writer.write(header, body);
  }

  /** Tells what a command has printed so far, before it returns: code that runs may let nothing else have a turn. */
  async printed(request: number, body: Uint8Array): Promise<void> {
    const header = { type: "printed", request };
    if (!this.#writer.isIdle) return await this.#writer.write(header, body);
    const frame = encodeFrame(header, body);
    for (let offset = 0; offset < frame.length;) offset += Deno.stdout.writeSync(frame.subarray(offset));
  }

  /** Runs work whose time the keeper does not count, within bounds. */
  async uncounted<T>(run: () => Promise<T>): Promise<T> {
    await this.#writer.write({ type: "uncounted" });
    try {
      return await run();
    } finally {
      await this.#writer.write({ type: "counted" });
    }
  }

  /** Has the keeper make the start memory of Python, for processes to come. */
  async wantStartMemory(): Promise<void> {
    await this.#writer.write({ type: "no_start_memory" });
  }

  /** Asks the gateway in the middle of a command. */
  async call(
    request: number,
    { name, value }: { readonly name: CallName; readonly value: unknown },
  ): Promise<Pack> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Pack>();
    this.#calls.set(id, resolve);
    await this.#writer.write({ type: "call", request, id, name }, encodePack(value));
    return await promise.finally(() => this.#calls.delete(id));
  }
}
