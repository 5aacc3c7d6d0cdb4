/** A wire between the gateway and faultd that lets nothing back until it is opened. */

import { isClosed } from "../support/raw.ts";

export interface Gate {
  readonly url: string;
  /** Lets through what was held back, and everything from now on. */
  readonly open: () => void;
  readonly close: () => Promise<void>;
}

export function startGate(target: number): Gate {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const opened = Promise.withResolvers<void>();
  const running: Promise<void>[] = [];
  const live = new Set<Deno.Conn>();
  const accept = async () => {
    for await (const near of listener) running.push(join(near, { target, opened: opened.promise, live }));
  };
  const accepting = accept();
  return {
    url: `http://127.0.0.1:${listener.addr.port}`,
    open: () => opened.resolve(),
    close: async () => {
      opened.resolve();
      listener.close();
      for (const connection of live) shut(connection);
      await Promise.all([accepting, ...running]);
    },
  };
}

interface Joining {
  readonly target: number;
  readonly opened: Promise<void>;
  readonly live: Set<Deno.Conn>;
}

async function join(near: Deno.Conn, { target, opened, live }: Joining): Promise<void> {
  const far = await Deno.connect({ port: target, hostname: "127.0.0.1" });
  live.add(near).add(far);
  const back = async () => {
    await opened;
    await pipe(far, near);
  };
  // Whichever side ends first ends the other, too.
  await Promise.race([pipe(near, far), back()]);
  for (const connection of [near, far]) {
    shut(connection);
    live.delete(connection);
  }
}

async function pipe(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(16 * 1024);
  try {
    for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
      for (let at = 0; at < size;) at += await to.write(buffer.subarray(at, size));
    }
  } catch (error) {
    if (!isClosed(error)) throw error;
  }
}

function shut(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
