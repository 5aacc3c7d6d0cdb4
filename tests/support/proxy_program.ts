/** A program in a container, as the proxy of its command sees it. */

import { BoxConnection } from "../../server/sandbox/bubblewrap/network/box_connection.ts";
import { CommandProxy } from "../../server/sandbox/bubblewrap/network/command_proxy.ts";
import { MAX_DATA_BYTES } from "../../server/sandbox/bubblewrap/network/forwarder_messages.ts";
import { fakeClock } from "./clock.ts";
import { sandboxNetwork } from "./sandbox_network.ts";
import { until } from "./until.ts";

type NetworkOptions = Parameters<typeof sandboxNetwork>[0];

const encoder = new TextEncoder();

/** The proxy of a command that may reach one domain. */
export function proxyRig(options: Partial<NetworkOptions> = {}) {
  const clock = fakeClock();
  const network = sandboxNetwork({ clock, port: 0, ...options });
  const proxy = new CommandProxy({
    ...network,
    clock,
    network: { type: "allowlist", domains: ["example.com"] },
  });
  return { clock, proxy, ...network };
}

/** The program's side of a connection: takes what comes at once. */
export class Program {
  readonly #connection: BoxConnection;
  readonly done: Promise<void>;
  heard = "";
  hasEnded = false;
  isClosed = false;
  #taken = 0;

  constructor(proxy: CommandProxy, takes: "everything" | "nothing" = "everything") {
    this.#connection = new BoxConnection(1, (frame, body) => {
      if (frame.type === "end") this.hasEnded = true;
      if (frame.type === "close") this.isClosed = true;
      if (frame.type === "taken") this.#taken++;
      if (frame.type !== "data") return;
      this.heard += Buffer.from(body ?? []).toString("latin1");
      if (takes === "everything") queueMicrotask(() => this.#connection.takeTaken());
    });
    this.done = proxy.serve(this.#connection);
  }

  async send(text: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    for (let at = 0; at < bytes.length; at += MAX_DATA_BYTES) {
      const before = this.#taken;
      this.#connection.takeData(bytes.slice(at, at + MAX_DATA_BYTES));
      await until(() => this.#taken > before || this.isClosed, { what: "that the proxy takes it" });
      if (this.isClosed) return;
    }
  }

  /** Takes the bytes that wait. */
  take(): void {
    this.#connection.takeTaken();
  }

  end(): void {
    this.#connection.takeEnd();
  }
}

export const connectTo = (authority: string) => `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
