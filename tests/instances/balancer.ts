/** A plain TCP balancer: each connection goes to the next gateway that takes it. */

export interface Balancer {
  readonly url: string;
  /** Ports of the gateways. */
  targets: readonly number[];
  close(): void;
}

const HERE = "127.0.0.1";

export function startBalancer(targets: readonly number[]): Balancer {
  const listener = Deno.listen({ hostname: HERE, port: 0 });
  const open = new Set<Deno.TcpConn>();
  let next = 0;
  const balancer: Balancer = {
    url: `http://${HERE}:${listener.addr.port}`,
    targets,
    close: () => {
      listener.close();
      for (const connection of open) shut(connection);
    },
  };
  const connect = async (): Promise<Deno.TcpConn | undefined> => {
    for (let tries = 0; tries < balancer.targets.length; tries++) {
      const port = balancer.targets[next++ % balancer.targets.length] ?? 0;
      try {
        return await Deno.connect({ hostname: HERE, port });
      } catch (error) {
        if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
      }
    }
    return undefined;
  };
  const pass = async (from: Deno.TcpConn, to: Deno.TcpConn) => {
    try {
      await from.readable.pipeTo(to.writable);
    } catch {
      // One side has broken off: the other one hears of it.
      shut(from);
      shut(to);
    } finally {
      open.delete(from);
    }
  };
  const serve = async (near: Deno.TcpConn) => {
    const far = await connect();
    if (far === undefined) return shut(near);
    for (const connection of [near, far]) {
      connection.setNoDelay(true);
      open.add(connection);
    }
    await Promise.all([pass(near, far), pass(far, near)]);
  };
  (async () => {
    for await (const near of listener) serve(near);
  })();
  return balancer;
}

function shut(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
