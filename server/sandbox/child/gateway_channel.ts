/** The child's end of the pipe to the gateway: requests come one after another, and calls go back in between. */

import { FrameReader, FrameWriter, streamReader } from "../../keeper/frames.ts";
import type { CallName, ProcessReply } from "../messages.ts";
import { processRequestSchema } from "../messages.ts";
import { decodePack, encodePack, type Pack } from "../pack.ts";

export interface GatewayRequest {
  readonly type: "load" | "run" | "read";
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
      if (request.type !== "answer") yield { type: request.type, pack };
      else this.#calls.get(request.id)?.(pack);
    }
  }

  async reply(header: Exclude<ProcessReply, { type: "call" }>, body?: Uint8Array): Promise<void> {
    await this.#writer.write(header, body);
  }

  /** Asks the gateway in the middle of a command. */
  async call(name: CallName, value: unknown): Promise<Pack> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Pack>();
    this.#calls.set(id, resolve);
    await this.#writer.write({ type: "call", id, name }, encodePack(value));
    return await promise.finally(() => this.#calls.delete(id));
  }
}
