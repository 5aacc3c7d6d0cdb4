/** A proxy whose connections can go silent, as those over a network that drops packets do. */

export interface TcpProxy {
  readonly port: number;
  /** Bytes of answers that have passed. */
  readonly answered: number;
  /** From now on nothing passes on the connections that are open; new ones work. */
  freeze(): void;
  /** Breaks the connections that are open off; new ones work. */
  cut(): void;
  close(): void;
  [Symbol.dispose](): void;
}

/** Passes everything on to the port of this machine; a function tells it when the first connection comes. */
export function startProxy(target: number | (() => number)): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Passing>();
  let answered = 0;
  const accept = async () => {
    for await (const near of listener) {
      const port = typeof target === "number" ? target : target();
      const far = await Deno.connect({ hostname: "127.0.0.1", port });
      const passing: Passing = { near, far, frozen: false };
      open.add(passing);
      pass(passing, { from: near, to: far });
      pass(passing, { from: far, to: near, onPassed: (bytes) => answered += bytes });
    }
  };
  accept();
  let isClosed = false;
  const close = () => {
    if (!isClosed) listener.close();
    isClosed = true;
    shutAll(open);
  };
  return {
    port: listener.addr.port,
    get answered() {
      return answered;
    },
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
  readonly onPassed?: (bytes: number) => void;
}

async function pass(passing: Passing, { from, to, onPassed }: Way): Promise<void> {
  const buffer = new Uint8Array(16_384);
  try {
    for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
      for (let at = 0; at < read && !passing.frozen;) {
        const written = await to.write(buffer.subarray(at, read));
        at += written;
        onPassed?.(written);
      }
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
