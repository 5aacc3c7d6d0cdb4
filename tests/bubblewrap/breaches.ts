/** The walls of a sandbox, each taken away: what the self-test calls it, and what it lets through. */

import assert from "node:assert/strict";
import type { Breach, Chain } from "./breached_sandbox.ts";

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
export const startedWith = (
  chain: Chain,
): Chain => ["/bin/bash", "-c", 'export SECRET=1; exec 9</etc/hostname "$@"', "bash", ...chain];

/** The program that starts the sandbox has a terminal, which is not its standard input. */
export const onTerminal = (chain: Chain): Chain => ["/usr/bin/python3", "-c", TERMINAL, ...chain];

const TERMINAL = `
import fcntl, os, sys, termios
master, slave = os.openpty()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.execv(sys.argv[1], sys.argv[1:])
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`;

const ENTER = `
for f in /proc/self/fd/*; do f=\${f##*/}; [ "$f" -gt 2 ] && eval "exec $f>&-"; done
parts=$1; shift; box=("\${@:1:parts}"); shift "$parts"
parts=$1; shift; user=("\${@:1:parts}"); shift "$parts"
"\${box[@]}" /bin/sleep 100 > /dev/null & box=$!
below() { local pid=\${1% }; echo "$(< "/proc/$pid/task/$pid/children")"; }
until first=$(below "$(below "$box")") && [ "$(cat /proc/\${first% }/comm)" = sh ]; do sleep 0.01; done 2> /dev/null
"\${user[@]}" /usr/bin/setsid --wait /usr/bin/nsenter --target=$box --user --preserve-credentials -- \
  /usr/bin/nsenter --target=\${first% } --mount --ipc --uts --net --pid --cgroup -- \
  /usr/bin/nsenter --target=1 --user --preserve-credentials --wd=/ -- /usr/bin/env -i HOME=/home/user PATH=/usr/bin:/bin "$@"
status=$?; kill -9 \${first% }; wait; exit $status`;

/**
 * Starts the sandbox with a program that waits, and the program itself from outside, in all of its namespaces: what
 * bubblewrap does to the programs that it starts is missing.
 */
function entered(chain: Chain): Chain {
  const at = chain.indexOf("/usr/bin/prlimit");
  const program = chain.slice(at);
  const user = chain.slice(0, chain.indexOf("/usr/bin/nsenter"));
  return [
    ...["/bin/bash", "-c", ENTER, "bash", String(at), ...chain.slice(0, at)],
    ...[String(user.length), ...user, ...program],
  ];
}

/** Where nothing is entered with a process of its own, the one that leads a session is made for it. */
const ownSession = (chain: Chain): Chain =>
  chain.flatMap((word) => word === "/usr/bin/setsid" ? [word, "--wait"] : [word]);

const withSettings = (chain: Chain) => removeLast(chain, ["--ro-bind", "/proc/sys", "/proc/sys"]);

export interface TakenWall extends Omit<Breach, "uid"> {
  /** Names that the self-test has for what no longer stands. */
  readonly wall: string;
  /** A hostile command that succeeds then. */
  readonly lets: string;
  /** Behind it stands another wall, with which alone nothing gets through: both have to be taken away. */
  readonly behind?: Partial<Breach>;
}

/** Changes that take something away, each with the wall that no longer stands. */
export const breaches: Readonly<Record<string, TakenWall>> = {
  "capabilities are kept": {
    wall: "capabilities",
    lets: "a capability",
    box: replaced("--cap-drop", "--cap-add"),
  },
  "no filter": { wall: "system_call_filter", lets: "keys of the kernel", box: noFilter },
  "root inside": {
    wall: "user",
    lets: "a setuid program",
    box: (chain) => chain.map((word, index) => chain[index - 1] === "--uid" ? "0" : word),
  },
  "the host's network": {
    wall: "network, separate_namespaces",
    lets: "a port of the machine",
    box: without(["--unshare-net", 0]),
  },
  "the host's network in the place of the forwarder's": {
    wall: "network, separate_namespaces",
    lets: "a port of the machine",
    forwarder: (chain) => chain,
    box: (chain) => chain.filter((word) => !word.startsWith("--net=")),
  },
  "the host's memory segments": {
    wall: "separate_namespaces",
    lets: "namespaces of the machine",
    box: without(["--unshare-ipc", 0]),
  },
  "the host's control groups": {
    wall: "separate_namespaces",
    lets: "namespaces of the machine",
    box: without(["--unshare-cgroup", 0]),
  },
  "the host's name": {
    wall: "separate_namespaces",
    lets: "the host's name",
    box: without(["--unshare-uts", 0], ["--hostname", 1]),
  },
  "the host's processes": {
    wall: "processes, separate_namespaces",
    lets: "processes of others",
    holder: without(["--pid", 0], ["--mount-proc", 0], ["--fork", 0], ["--kill-child=KILL", 0]),
    box: (chain) =>
      without(["--unshare-pid", 0], ["--as-pid-1", 0])(
        ownSession(chain.filter((word) => !word.startsWith("--pid="))),
      ),
  },
  "the processes that make it": {
    wall: "processes",
    lets: "processes of who made it",
    box: without(["--unshare-pid", 0], ["--as-pid-1", 0]),
  },
  "namespaces of its own, and no filter": {
    wall: "system_call_filter, new_namespaces",
    lets: "users of a namespace",
    box: (chain) => noFilter(without(["--disable-userns", 0])(chain)),
  },
  "the host's settings": {
    wall: "host_files",
    lets: "the host's users",
    box: withOptions("--ro-bind", "/etc", "/etc"),
  },
  "a folder of the host": {
    wall: "host_files",
    lets: "folders of the host",
    box: withOptions("--ro-bind", "/var", "/var"),
  },
  "a root that can be written": {
    wall: "read_only",
    lets: "the root",
    box: (chain) => removeLast(chain, ["--remount-ro", "/"]),
  },
  "devices that can be written": {
    wall: "read_only",
    lets: "a device in /dev",
    box: (chain) => removeLast(chain, ["--remount-ro", "/dev"]),
  },
  "settings of processes that can be written": {
    wall: "read_only",
    lets: "what Linux keeps of a process",
    box: (chain) => removeLast(chain, ["--remount-ro", "/proc"]),
  },
  "settings of the kernel that can be written": {
    wall: "read_only",
    lets: "the core pattern",
    // /proc around it is read-only as well.
    behind: { uid: undefined, box: (chain) => removeLast(withSettings(chain), ["--remount-ro", "/proc"]) },
    box: withSettings,
  },
  "programs that can be written": {
    wall: "read_only",
    lets: "programs",
    behind: { uid: undefined },
    box: (chain) =>
      chain.map((word, index) => chain[index + 1] === "/usr" && word === "--ro-bind" ? "--bind" : word),
  },
  "files that tell of the host": {
    wall: "host_settings",
    lets: "files that tell of the machine",
    box: (chain) => removeLast(chain, ["--ro-bind", "/dev/null", "/proc/partitions"]),
  },
  "new rights by a program, and no filter": {
    wall: "capabilities, no_new_privileges, system_call_filter",
    lets: "new rights by a program",
    box: entered,
  },
  "the terminal of the starter": {
    wall: "terminal",
    lets: "the terminal",
    box: (chain) => onTerminal(without(["--new-session", 0], ["/usr/bin/setsid", 1])(chain)),
  },
  "no limits": {
    wall: "limits",
    lets: "a bomb of processes",
    box: (chain) => chain.filter((word) => !/^--(?:nproc|nofile|core|fsize|memlock|msgqueue)=/.test(word)),
  },
  "the environment of the starter": {
    wall: "environment",
    lets: "the environment of who started it",
    box: (chain) => startedWith(without(["--clearenv", 0])(chain)),
  },
  "files that the starter has open": {
    wall: "open_files",
    lets: "files that were open",
    box: (chain) => startedWith(replaced('eval "exec $f>&-"', "true")(chain)),
  },
  "a device that can be opened": {
    wall: "read_only, mount_options",
    lets: "devices in folders that can be written",
    box: withOptions("--dev-bind", "/dev/null", "/tmp/device"),
  },
  "files without a size": { wall: "room", lets: "a bomb of bytes", holder: replaced("size=$1,", "") },
  "files without a number": { wall: "room", lets: "a bomb of names", holder: replaced(",nr_inodes=$2", "") },
};

function removeLast(chain: Chain, part: Chain): Chain {
  const at = chain.findLastIndex((_word, index) => part.every((word, more) => chain[index + more] === word));
  assert(at > 0);
  return [...chain.slice(0, at), ...chain.slice(at + part.length)];
}
