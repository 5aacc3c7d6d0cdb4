/**
 * Many commands in many containers, and kills among them. `TOLLGATE_TEST_RUNS=10` makes 1,000 commands in 100
 * containers, and 20 kills.
 */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { SandboxProcess, StoredEntry } from "../../server/sandbox/sandbox.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { ALLOWED, endless } from "../support/killed_gateway.ts";
import { childrenOf, descendantsOf, runningProcesses, untilGone } from "../support/processes.ts";
import { runs } from "../support/property.ts";
import { runIn, sandboxRig, shown, textOf } from "../support/sandbox.ts";
import { sandboxNetwork } from "../support/sandbox_network.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { makeCertificates } from "../support/upstream_certificates.ts";
import { upstreamServer } from "../support/upstream_server.ts";
import { until } from "../support/until.ts";

const AT_ONCE = 8;
const CONTAINERS = runs(10);
const ROUNDS = runs(1) > 1 ? 10 : 2;
const KILLS = runs(1);

/** Process 1, two of bash, ls and grep are fewer. */
const FEW = 7;

/** Leaves something everywhere, and shows all that others might have left. */
const command = (name: string, round: number) => `
echo ${name}.${round} >> log; grep -vc '^${name}\\.' log; wc -l < log
ls -A ~ /tmp /run /dev/shm | grep -v -e '^ready-${name}$' -e '^log$' -e '^state$' -e '^/' -e '^$'
echo "$OWN"; [ "$(ls /proc | grep -c '^[0-9]*$')" -lt ${FEW} ] && echo alone; hostname
touch /tmp/ready-${name} /dev/shm/ready-${name} /run/ready-${name}
sleep 1000 & export OWN=${name}; exit 0`;

const logEntry = (text: string): StoredEntry => ({
  entry: { type: "file", path: "log", mode: 0o644, modifiedAt: 1_000, size: text.length },
  read: () => Promise.resolve(new TextEncoder().encode(text)),
});

async function checkRound(
  process: SandboxProcess,
  { name, round }: { name: string; round: number },
): Promise<string> {
  const environment: Record<string, string> = round === 1 ? {} : { OWN: name };
  const outcome = await runIn(process, command(name, round), { environment, timeoutMs: 60_000 });
  const own = round === 1 ? "" : name;
  const lines = ["0", String(round), own, "alone", "sandbox", ""];
  assert.equal(shown(outcome), lines.join("\n"), `${name} in round ${round}`);
  assert.equal(outcome.type === "ended" && outcome.environment.OWN, name);
  return await textOf(process, "log");
}

async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = [...all];
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one);
  }));
}

/** Mounts of this system, and the folder on which containers have theirs. */
const outside = () => [
  Deno.readTextFileSync("/proc/self/mountinfo").split("\n").length,
  [...Deno.readDirSync("/mnt")].length,
];

if (hasBubblewrap()) {
  Deno.test(`nothing crosses in ${CONTAINERS * ROUNDS} commands of ${CONTAINERS} containers, and nothing stays`, async () => {
    const [before, began] = [outside(), performance.now()];
    const keepers = new Set((await childrenOf([Deno.pid], "keeper/main.ts")).map(({ pid }) => pid));
    const rig = sandboxRig({ engine: "bubblewrap", processes: AT_ONCE });
    const names = Array.from({ length: CONTAINERS }, (_unused, index) => `c${index}`);
    const logs = new Map<string, string>();
    for (let round = 1; round <= ROUNDS; round++) {
      await inTurns(names, async (name) => {
        const entries = round === 1 ? [] : [logEntry(logs.get(name) ?? "")];
        const process = await rig.open({ container: name, version: String(round), entries });
        logs.set(name, await checkRound(process, { name, round }));
        process.release(String(round + 1));
      });
    }
    const running = await childrenOf([Deno.pid], "keeper/main.ts");
    const keeper = running.find(({ pid }) => !keepers.has(pid)) ?? assert.fail("a keeper runs");
    const left = await descendantsOf(keeper.pid, "");
    assert.deepEqual(left.filter(({ command }) => command.includes("sleep 1000")), []);
    await rig[Symbol.asyncDispose]();
    await untilGone([keeper, ...left]);
    assert.deepEqual(outside(), before);
    console.log(`${CONTAINERS * ROUNDS} commands in ${Math.round(performance.now() - began)} ms`);
  });
}

interface Victim {
  /** Ends it in the hardest way. */
  readonly kill: () => Promise<void>;
  readonly pid: number;
  readonly close: () => Promise<void>;
}

interface VictimInput {
  readonly port: number;
  readonly authority: string;
  readonly marker: string;
}

/** The keeper of a gateway that goes on. */
async function keeperVictim({ port, authority, marker }: VictimInput): Promise<Victim> {
  const network = sandboxNetwork({ clock: tickingClock(), port, caCerts: [authority] });
  const rig = sandboxRig({ engine: "bubblewrap", ...network });
  const process = await rig.open({ network: ALLOWED });
  const running = runIn(process, endless({ authority, marker }), { timeoutMs: 120_000 });
  const [keeper] = await childrenOf([Deno.pid], "keeper/main.ts");
  const pid = keeper?.pid ?? assert.fail("a keeper runs");
  return {
    pid,
    kill: async () => {
      Deno.kill(pid, "SIGKILL");
      assert.equal(shown(await running), "killed: stopped");
    },
    close: async () => {
      process.release(undefined);
      await rig[Symbol.asyncDispose]();
    },
  };
}

/** A gateway, with its keeper. */
function gatewayVictim(input: VictimInput): Promise<Victim> {
  const path = fileURLToPath(new URL("../support/killed_gateway.ts", import.meta.url));
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const args = [
    "run",
    "--allow-all",
    "--no-check",
    "--frozen",
    `--config=${config}`,
    path,
    JSON.stringify(input),
  ];
  const child = new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null" }).spawn();
  return Promise.resolve({
    pid: child.pid,
    kill: () => Promise.resolve(child.kill("SIGKILL")),
    close: async () => {
      await child.status;
    },
  });
}

async function killOne(start: (input: VictimInput) => Promise<Victim>): Promise<number> {
  const certificates = await makeCertificates();
  assert(certificates !== undefined);
  await using server = upstreamServer((connection) => connection.gone(), { tls: certificates.elsewhere });
  const marker = `9${crypto.getRandomValues(new Uint32Array(1))[0]}.5`;
  const before = outside();
  const victim = await start({ port: server.port, authority: certificates.authority, marker });
  const runs = async () =>
    (await runningProcesses()).some(({ command }) => command.includes(`sleep ${marker}`));
  await until(async () => (server.connections[0]?.pending ?? 0) > 0 && await runs(), {
    what: "the connection",
  });
  const all = await descendantsOf(victim.pid, "");
  assert(all.some(({ command }) => command.includes("forwarder.ts")));
  const began = performance.now();
  await victim.kill();
  await untilGone(all);
  await server.connections[0]?.gone();
  const ms = performance.now() - began;
  await victim.close();
  assert.deepEqual([await runs(), outside()], [false, before]);
  return ms;
}

if (hasBubblewrap()) {
  for (const [name, start] of Object.entries({ keeper: keeperVictim, gateway: gatewayVictim })) {
    Deno.test(`nothing is left of a command with a connection whose ${name} is killed`, async () => {
      const times: number[] = [];
      for (let kill = 0; kill < KILLS; kill++) times.push(await killOne(start));
      console.log(`${KILLS} kills: all was gone after ${Math.round(Math.max(...times))} ms at most`);
    });
  }
}
