/** Each wall of a sandbox stands, and the self-test names each one that is taken away. */

import assert from "node:assert/strict";
import { PIPED } from "../../server/sandbox/bubblewrap/box_run.ts";
import { boxPrograms } from "../../server/sandbox/bubblewrap/box_programs.ts";
import { boxChain, forwarderChain, holderChain } from "../../server/sandbox/bubblewrap/chains.ts";
import { forwarderFiles, ForwarderRun } from "../../server/sandbox/bubblewrap/network/forwarder_run.ts";
import { readTrial } from "../../server/sandbox/bubblewrap/walls.ts";
import { Memo } from "../../shared/util/memo.ts";
import { hasBubblewrap, hostLayout, outerNamespaces } from "../support/bubblewrap.ts";

type Chain = readonly string[];

/** A change of what is started. */
interface Breach {
  /** The sandbox shares the network of a forwarder, which is started so. */
  readonly forwarder?: (chain: Chain) => Chain;
  readonly holder?: (chain: Chain) => Chain;
  readonly box?: (chain: Chain) => Chain;
}

const MIB = 1024 * 1024;
/** Users that nobody has: as root, and as an ordinary user who cannot become another. */
const users = { "a user of its own": 2_147_000_001, nobody: 65_534 } as const;

const layout = new Memo(hostLayout);

async function startHolder(uid: number, { holder = (chain) => chain }: Breach) {
  const chain = holderChain({ layout: await layout.get(), uid, bytes: 64 * MIB, entries: 20_000 });
  const [command = "", ...args] = holder(chain);
  const child = new Deno.Command(command, { ...PIPED, args }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "ready\n");
  return {
    pid: child.pid,
    end: async () => {
      child.kill("SIGKILL");
      await Promise.all([child.status, child.stderr.cancel(), reader.cancel(), child.stdin.abort()]);
    },
  };
}

/** A forwarder that listens; undefined where the sandbox has a network of its own. */
async function startForwarder(
  { forwarder: change }: Breach,
  { uid, holder }: { uid: number; holder: number },
) {
  if (change === undefined) return undefined;
  const listening = Promise.withResolvers<void>();
  const chain = change(forwarderChain({ layout: await layout.get(), uid, holder, files: forwarderFiles }));
  const run = new ForwarderRun({ chain, onEvent: () => Promise.resolve(listening.resolve()) });
  run.send({ type: "listen", run: 1 }, new Uint8Array(0));
  await Promise.race([listening.promise, run.ended]);
  return run;
}

/** Fault that the self-test finds. */
async function faultWith(uid: number, breach: Breach): Promise<string | undefined> {
  const holder = await startHolder(uid, breach);
  const forwarder = await startForwarder(breach, { uid, holder: holder.pid });
  try {
    const { box = (chain: Chain) => chain } = breach;
    const program = boxPrograms.walls.command;
    const [command = "", ...args] = box(
      boxChain({
        layout: await layout.get(),
        uid,
        holder: holder.pid,
        program,
        networkOf: forwarder?.process,
      }),
    );
    const child = new Deno.Command(command, { ...PIPED, args }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(await outerNamespaces()));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return readTrial(new TextDecoder().decode(stdout)).fault;
  } finally {
    forwarder?.kill();
    await forwarder?.ended;
    await holder.end();
  }
}

/** Takes options away, each with so many arguments. */
const without = (...options: readonly (readonly [name: string, args: number])[]) => (chain: Chain): Chain => {
  const kept: string[] = [];
  for (let at = 0; at < chain.length; at++) {
    const option = options.find(([name]) => name === chain[at]);
    if (option === undefined) kept.push(chain[at] ?? "");
    else at += option[1];
  }
  assert(kept.length < chain.length);
  return kept;
};

/** Puts options in front of those that close the root. */
const withOptions = (...options: Chain) => (chain: Chain): Chain => {
  const at = chain.indexOf("--remount-ro");
  return [...chain.slice(0, at), ...options, ...chain.slice(at)];
};

const replaced = (part: string, by: string) => (chain: Chain): Chain => {
  assert(chain.some((word) => word.includes(part)), part);
  return chain.map((word) => word.replaceAll(part, by));
};

const noFilter = without(["--seccomp", 1]);
/** A file and a variable of the program that starts the sandbox. */
const startedWith = (
  chain: Chain,
): Chain => ["/bin/bash", "-c", 'export SECRET=1; exec 9</etc/hostname "$@"', "bash", ...chain];

/** Changes that take something away, each with the wall that no longer stands. */
const breaches: Readonly<Record<string, Breach & { readonly wall: string }>> = {
  "capabilities are kept": { wall: "capabilities", box: replaced("--cap-drop", "--cap-add") },
  "no filter": { wall: "system_call_filter", box: noFilter },
  "root inside": {
    wall: "user",
    box: (chain) => chain.map((word, index) => chain[index - 1] === "--uid" ? "0" : word),
  },
  "the host's network": { wall: "network, separate_namespaces", box: without(["--unshare-net", 0]) },
  "the host's network in the place of the forwarder's": {
    wall: "network, separate_namespaces",
    forwarder: (chain) => chain,
    box: (chain) => chain.filter((word) => !word.startsWith("--net=")),
  },
  "the host's memory segments": { wall: "separate_namespaces", box: without(["--unshare-ipc", 0]) },
  "the host's control groups": { wall: "separate_namespaces", box: without(["--unshare-cgroup", 0]) },
  "the host's name": { wall: "separate_namespaces", box: without(["--unshare-uts", 0], ["--hostname", 1]) },
  "the host's processes": {
    wall: "processes, separate_namespaces",
    box: without(["--unshare-pid", 0], ["--as-pid-1", 0]),
  },
  "namespaces of its own, and no filter": {
    wall: "system_call_filter, new_namespaces",
    box: (chain) => noFilter(without(["--disable-userns", 0])(chain)),
  },
  "the host's settings": { wall: "host_files", box: withOptions("--ro-bind", "/etc", "/etc") },
  "a folder of the host": { wall: "host_files", box: withOptions("--ro-bind", "/var", "/var") },
  "a root that can be written": {
    wall: "read_only",
    box: (chain) => removeLast(chain, ["--remount-ro", "/"]),
  },
  "devices that can be written": {
    wall: "read_only",
    box: (chain) => removeLast(chain, ["--remount-ro", "/dev"]),
  },
  "settings of the kernel that can be written": {
    wall: "read_only",
    box: (chain) => removeLast(chain, ["--ro-bind", "/proc/sys", "/proc/sys"]),
  },
  "programs that can be written": {
    wall: "read_only",
    box: (chain) =>
      chain.map((word, index) => chain[index + 1] === "/usr" && word === "--ro-bind" ? "--bind" : word),
  },
  "files that tell of the host": {
    wall: "host_settings",
    box: (chain) => removeLast(chain, ["--ro-bind", "/dev/null", "/proc/partitions"]),
  },
  "no limits": {
    wall: "limits",
    box: (chain) => chain.filter((word) => !/^--(?:nproc|nofile|core|fsize|memlock|msgqueue)=/.test(word)),
  },
  "the environment of the starter": {
    wall: "environment",
    box: (chain) => startedWith(without(["--clearenv", 0])(chain)),
  },
  "files that the starter has open": {
    wall: "open_files",
    box: (chain) => startedWith(replaced('eval "exec $f>&-"', "true")(chain)),
  },
  "a device that can be opened": {
    wall: "read_only, mount_options",
    box: withOptions("--dev-bind", "/dev/null", "/tmp/device"),
  },
  "files without a number": { wall: "room", holder: replaced(",nr_inodes=$2", "") },
};

function removeLast(chain: Chain, part: Chain): Chain {
  const at = chain.findLastIndex((_word, index) => part.every((word, more) => chain[index + more] === word));
  assert(at > 0);
  return [...chain.slice(0, at), ...chain.slice(at + part.length)];
}

if (hasBubblewrap()) {
  for (const [name, uid] of Object.entries(users)) {
    Deno.test(`every wall of a sandbox stands, as ${name}`, async () => {
      assert.equal(await faultWith(uid, {}), undefined);
      assert.equal(await faultWith(uid, { forwarder: (chain) => chain }), undefined);
      // Whatever has started the gateway, nothing of it gets in.
      assert.equal(await faultWith(uid, { box: startedWith, holder: startedWith }), undefined);
    });
  }

  Deno.test("the self-test names each wall that is taken away", async (t) => {
    for (const [name, { wall, ...breach }] of Object.entries(breaches)) {
      await t.step(name, async () => {
        const fault = await faultWith(users["a user of its own"], breach);
        assert.equal(fault, `These walls of the sandbox do not stand here: ${wall}.`);
      });
    }
  });
}
