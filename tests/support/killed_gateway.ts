/**
 * A gateway's sandbox in a process of its own, to be killed: a command of it holds a connection open, and starts
 * processes that try to outlive it.
 */

import { runIn, sandboxRig } from "./sandbox.ts";
import { sandboxNetwork } from "./sandbox_network.ts";
import { tickingClock } from "./ticking_clock.ts";

export interface KilledGateway {
  /** Port of the server, and the certificate of its authority. */
  readonly port: number;
  readonly authority: string;
  /** Seconds that no other program sleeps. */
  readonly marker: string;
}

/** The command, which never ends by itself. */
export const endless = ({ authority, marker }: Omit<KilledGateway, "port">): string =>
  `cat > ca.pem <<'END'\n${authority}END\ntrap '' TERM INT HUP\nsetsid nohup sleep ${marker} &\n` +
  "curl -s --cacert ca.pem https://other.example/silent & wait; while :; do sleep 1; done";

export const ALLOWED = { type: "allowlist", domains: ["other.example"] } as const;

const asInput = (value: unknown) => value as KilledGateway;

async function main(input: KilledGateway): Promise<void> {
  const network = sandboxNetwork({ clock: tickingClock(), port: input.port, caCerts: [input.authority] });
  await using rig = sandboxRig({ engine: "bubblewrap", ...network });
  const process = await rig.open({ network: ALLOWED });
  await runIn(process, endless(input), { timeoutMs: 120_000 });
}

if (import.meta.main) await main(asInput(JSON.parse(Deno.args[0] ?? "")));
