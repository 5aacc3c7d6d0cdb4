/** A proxy whose connections can go silent, as those over a network that drops packets do. */

export interface TcpProxy {
  readonly port: number;
  /** From now on nothing passes on the connections that are open; new ones work. */
  freeze(): void;
  /** Breaks the connections that are open off; new ones work. */
  cut(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** Passes everything on to the port of this machine. */
export function startProxy(target: number): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Passing>();
  const accept = async () => {
    for await (const near of listener) {
      const far = await Deno.connect({ hostname: "127.0.0.1", port: target });
      const passing: Passing = { near, far, frozen: false };
      open.add(passing);
      pass(passing, { from: near, to: far });
      pass(passing, { from: far, to: near });
    }
  };
  accept();
  const close = () => {
    listener.close();
    shutAll(open);
  };
  return {
    port: listener.addr.port,
    freeze: () => {
      for (const passing of open) passing.frozen = true;
    },
    cut: () => shutAll(open),
    close,
    [Symbol.dispose]: close,
  };
}

function shutAll(open: Set<Passing>): void {
  for (const { near, far } of open) {
    shut(near);
    shut(far);
  }
  open.clear();
}

interface Passing {
  readonly near: Deno.TcpConn;
  readonly far: Deno.TcpConn;
  frozen: boolean;
}

interface Way {
  readonly from: Deno.TcpConn;
  readonly to: Deno.TcpConn;
}

async function pass(passing: Passing, { from, to }: Way): Promise<void> {
  const buffer = new Uint8Array(16_384);
  try {
    for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
      for (let at = 0; at < read && !passing.frozen;) at += await to.write(buffer.subarray(at, read));
    }
    if (!passing.frozen) await to.closeWrite();
  } catch {
    // One side is gone, and the other hears of it.
    if (!passing.frozen) shut(to);
  }
}

function shut(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}
