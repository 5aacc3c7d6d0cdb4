/** Gateways on one store that call each other, each through a proxy of its own, whose models run real commands. */

import { CallSignatures } from "../../server/sandbox/containers/forwarding/call_signatures.ts";
import type { ContainerRig, ContainerRigOptions, OpenRig } from "./containers.ts";
import { startProxy, type TcpProxy } from "./tcp_proxy.ts";

export const MASTER_KEY = new Uint8Array(32).fill(9);

export interface Instance {
  readonly rig: ContainerRig;
  /** On the way of the other gateways to this one. */
  readonly proxy: TcpProxy;
}

export interface Instances extends AsyncDisposable {
  readonly a: Instance;
  readonly b: Instance;
  readonly c: Instance;
}

type InstanceOptions = Omit<ContainerRigOptions, "beside" | "shared">;

/** Opens one, beside others where there are some. */
async function openInstance(
  openRig: OpenRig,
  { others = [], ...options }: InstanceOptions & { readonly others?: readonly Instance[] } = {},
): Promise<Instance> {
  const held: { port: number } = { port: 0 };
  const proxy = startProxy(() => held.port);
  const [first] = others;
  const rig = await openRig({
    ...options,
    ...(first === undefined ? { shared: true } : { beside: first.rig.gateway }),
    env: {
      TOLLGATE_MASTER_KEY: MASTER_KEY.toBase64(),
      TOLLGATE_PEER_URL: `http://127.0.0.1:${proxy.port}`,
      ...options.env,
    },
  });
  held.port = rig.gateway.port;
  return { rig, proxy };
}

/** Three of them, on one store in memory; `each` opens another store that they share. */
export async function openInstances(
  openRig: OpenRig,
  each?: () => Promise<InstanceOptions>,
): Promise<Instances> {
  const open = async (...others: readonly Instance[]) =>
    await openInstance(openRig, each === undefined ? { others } : await each());
  const a = await open();
  const [b, c] = [await open(a), await open(a)];
  return {
    a,
    b,
    c,
    [Symbol.asyncDispose]: async () => {
      // The first one closes the store of all.
      for (const { rig } of [c, b, a]) await rig[Symbol.asyncDispose]();
      for (const { proxy } of [c, b, a]) proxy.close();
    },
  };
}

interface SignedCall {
  readonly path: string;
  readonly body: string;
  /** Id of the instance that is called. */
  readonly to?: string;
  readonly master?: Uint8Array;
  /** Milliseconds since the epoch, as the clock of who signs has it. */
  readonly now?: number;
}

/** The header of a call, as another instance signs it. */
export async function signCall(
  { path, body, to = "another", master = MASTER_KEY, now = Date.now() }: SignedCall,
): Promise<string> {
  const signatures = await CallSignatures.create(master, {
    clock: { now: () => now },
    randomToken: (bytes) =>
      crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url", omitPadding: true }),
  });
  return await signatures.sign({ method: "POST", path }, { to, body });
}
