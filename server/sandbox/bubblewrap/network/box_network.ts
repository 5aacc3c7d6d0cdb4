/** The network of one container, as the gateway has it: the connections that its running command makes. */

import { BoxConnection, type SendFrame } from "./box_connection.ts";
import type { ForwarderEvent } from "./forwarder_messages.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Serves one connection. Never rejects. */
type ServeConnection = (connection: BoxConnection) => Promise<void>;

/** A command that may connect. */
interface NetworkRun {
  readonly run: number;
  readonly serve: ServeConnection;
  readonly ready: PromiseWithResolvers<void>;
  /** Connections so far. */
  opened: number;
}

/** Connections of one command: beyond it none is taken any more, whatever becomes of them. */
export const MAX_OPENED = 100;

export class BoxNetwork {
  readonly #send: SendFrame;
  readonly #connections = new Map<number, BoxConnection>();
  #run: NetworkRun | undefined;
  #lastRun = 0;

  constructor(send: SendFrame) {
    this.#send = send;
  }

  /** Resolves once the command can connect. Rejects with what it is failed with. */
  async open(serve: ServeConnection): Promise<void> {
    const run = { run: ++this.#lastRun, serve, ready: Promise.withResolvers<void>(), opened: 0 };
    this.#run = run;
    this.#send({ type: "listen", run: run.run });
    await run.ready.promise;
  }

  /** The command has ended: nothing of its connections stays. */
  close(): void {
    if (this.#run === undefined) return;
    this.#run = undefined;
    this.#send({ type: "stop" });
    this.#loseAll();
  }

  /** The forwarder is gone. */
  fail(error: unknown): void {
    this.#run?.ready.reject(error);
    this.#run = undefined;
    this.#loseAll();
  }

  /** Takes a frame. Throws for one that makes no sense. */
  take(event: ForwarderEvent, body: Bytes): void {
    if (event.type === "listening") {
      if (this.#run?.run === event.run) this.#run.ready.resolve();
      return;
    }
    if (event.type === "opened") return this.#open(event);
    // One of a command before, or one that has just been closed here.
    const connection = this.#connections.get(event.connection);
    if (connection === undefined) return;
    if (event.type === "data") connection.takeData(body);
    else if (event.type === "end") connection.takeEnd();
    else if (event.type === "taken") connection.takeTaken();
    else this.#forget(event.connection);
  }

  #open({ connection: id, run: number }: Extract<ForwarderEvent, { readonly type: "opened" }>): void {
    const run = this.#run;
    if (run === undefined || run.run !== number || this.#connections.has(id)) return;
    if (++run.opened > MAX_OPENED) {
      this.#send({ type: "stop" });
      return this.#loseAll();
    }
    const connection = new BoxConnection(id, this.#send);
    this.#connections.set(id, connection);
    run.serve(connection).finally(() => {
      connection.close();
      this.#connections.delete(id);
    });
  }

  #forget(id: number): void {
    this.#connections.get(id)?.lose();
    this.#connections.delete(id);
  }

  #loseAll(): void {
    for (const id of this.#connections.keys()) this.#forget(id);
  }
}
