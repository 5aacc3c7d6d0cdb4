/** The heap of a process under measurement, asked over V8's inspector, so that the product needs no switch for it. */

import * as z from "zod";

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.object({ id: z.number(), result: z.object({ usedSize: z.number().optional() }) });

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (usedSize: number | undefined) => void>();
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const read = reply.safeParse(JSON.parse(String(data)));
      if (!read.success) return;
      const { id, result } = read.data;
      this.#waiting.get(id)?.(result.usedSize);
      this.#waiting.delete(id);
    };
  }

  static async connect(port: number): Promise<Inspector> {
    const list = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
    const [target] = targets.parse(list);
    if (target === undefined) throw new Error("The process has nothing to inspect");
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Inspector(socket);
  }

  /** Bytes of objects that are reachable: garbage is collected first. */
  async heapBytes(): Promise<number> {
    await this.#ask("HeapProfiler.collectGarbage");
    return await this.#ask("Runtime.getHeapUsage") ?? NaN;
  }

  close(): void {
    this.#socket.close();
  }

  #ask(method: string): Promise<number | undefined> {
    const id = ++this.#sent;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}
