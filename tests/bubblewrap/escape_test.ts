/** Hostile commands of the engine `bubblewrap`: refused, or ended within their limit; the container goes on. */

import assert from "node:assert/strict";
import type { CommandOutcome, SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { MAX_CONTAINER_FILE_BYTES } from "../../server/sandbox/containers/file_list.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

/** A command, and what it shows. */
type Attack = readonly [code: string, shows: RegExp];

const py = (code: string) => `python3 -c '${code}' 2>&1 | tail -n 1`;
/** Calls the kernel by number: x86-64, arm64. */
const call = ([x86, arm]: readonly [number, number], args = "0, 0, 0, 0, 0") =>
  py(
    "import ctypes, os, platform; libc = ctypes.CDLL(None, use_errno=True); " +
      `number = ${x86} if platform.machine() == "x86_64" else ${arm}; ` +
      `print(libc.syscall(number, ${args}), os.strerror(ctypes.get_errno()))`,
  );
const socket = (family: number, type = 1) => py(`import socket; socket.socket(${family}, ${type})`);

const REFUSED = /^-1 Operation not permitted\n$/;
const MISSING = /^-1 Function not implemented\n$/;

/** None of them needs a container of its own. */
const attacks: Readonly<Record<string, Attack>> = {
  "the host's users": ["cat /etc/shadow", /No such file/],
  "the host's settings": ["ls /etc; cat /etc/hostname /etc/machine-id", /No such file/],
  "homes of the host": ["ls /root /home/*/.ssh", /No such file/],
  "folders of the host": ["ls /var /srv /opt /mnt /media /boot /sys", /(?:No such file[^]*){7}/],
  "data of the gateway": [
    "find / -xdev -name '*.sqlite3' -o -name master.key 2> /dev/null; echo end",
    /^end\n$/,
  ],
  "the root": ["touch /x", /Read-only file system/],
  "programs": ["echo x > /usr/bin/env", /Read-only file system|Permission denied/],
  "settings of the sandbox": ["echo x >> /etc/passwd", /Read-only file system|Permission denied/],
  "devices": [
    "mknod /tmp/sda b 8 0; ls /dev/sda /dev/vda /dev/mem /dev/kvm",
    /Operation not permitted[^]*No such file/,
  ],
  "a device in /dev": ["mknod /dev/x c 1 1; touch /dev/x", /Read-only file system/],
  "the program of process 1": ["echo x > /proc/1/exe", /Permission denied|Text file busy|Read-only/],
  "the environment of who started it": [
    "tr '\\0' '\\n' < /proc/1/environ | grep -ciE 'deno|tollgate|key|token'",
    /^0\n/,
  ],
  "processes of others": ["ls /proc | grep -cE '^[0-9]+$'", /^[1-9]\n$/],
  "the memory of process 1": [py('open("/proc/1/mem", "rb").read(1)'), /PermissionError|OSError/],
  "the root of process 1": [
    "cd /proc/1/root && ls etc/shadow; ls /proc/1/cwd/../../etc/shadow",
    /No such file/,
  ],
  "a core of the kernel": ["head -c 9 /proc/kcore; echo end", /end/],
  "the core pattern": [
    "echo '|/bin/sh' > /proc/sys/kernel/core_pattern",
    /Read-only file system|Permission denied/,
  ],
  "a request of the kernel": ["echo b > /proc/sysrq-trigger", /Permission denied|No such file|Read-only/],
  "forwarding": ["echo 1 > /proc/sys/net/ipv4/ip_forward", /Read-only file system|Permission denied/],
  "the score of the memory killer": ["echo -1000 > /proc/self/oom_score_adj", /Permission denied/],
  "users of a namespace": ["unshare --user --map-root-user true", /Operation not permitted/],
  "a network of its own": ["unshare --net true", /Operation not permitted/],
  "mounts of its own": ["unshare --mount true", /Operation not permitted/],
  "a sandbox in the sandbox": ["bwrap --ro-bind / / true", /./],
  "a namespace of another process": ["nsenter --target=1 --mount true", /./],
  "a mount": [
    "mount -t tmpfs none /tmp; mount --bind / /tmp",
    /must be superuser|permission denied|not permitted/i,
  ],
  "taking a mount away": [
    "umount /proc/sys",
    /umount failed|must be superuser|permission denied|not permitted/i,
  ],
  "making /usr writable": ["mount -o remount,rw /usr", /must be superuser|permission denied|not permitted/i],
  "another root": ["/usr/sbin/chroot / true", /Operation not permitted/],
  "a setuid program": ["cp /bin/bash b; chmod 4755 b; ./b -p -c 'id -u'; rm b", /^1000\n$/],
  "another user": ["su root -c id; sudo id", /./],
  "a capability": ["grep CapEff /proc/self/status", /0000000000000000/],
  "the clock": ["date -s 2001-01-01 > /dev/null", /Operation not permitted/],
  "the host's name": ["hostname other", /./],
  "a trace of a process": ["sleep 9 & " + call([101, 117], "16, 2, 0, 0"), REFUSED],
  "memory of another process": [call([310, 270]), REFUSED],
  "programs of the kernel": [call([321, 280]), REFUSED],
  "counters of the kernel": [call([298, 241]), REFUSED],
  "faults in user space": [call([323, 282]), REFUSED],
  "keys of the kernel": [call([250, 219]), REFUSED],
  "a module of the kernel": [call([175, 105]), REFUSED],
  "another kernel": [call([246, 104]), REFUSED],
  "restarting the machine": [call([169, 142], "0xfee1dead, 672274793, 0x1234567, 0"), REFUSED],
  "a file by its handle": [call([304, 265]), REFUSED],
  "mounts in the new way": [call([430, 430]), REFUSED],
  "a namespace by clone3": [call([435, 435]), MISSING],
  "calls by a ring": [call([425, 425]), MISSING],
  "memory without a name": [call([319, 279]), MISSING],
  "shared memory of System V": [call([29, 194]), MISSING],
  "a socket to the hypervisor": [socket(40), /Address family not supported/],
  "packets": [socket(17, 3), /Address family not supported/],
  "a raw socket": [socket(2, 3), /Operation not permitted|Protocol not supported/],
  "the cipher sockets of the kernel": [socket(38, 5), /Address family not supported/],
  "keystrokes for who shares the terminal": [
    py('import fcntl, os; fcntl.ioctl(os.open("/dev/ptmx", 2), 0x5412, b"x")'),
    /PermissionError|Operation not permitted/,
  ],
  "the terminal": ["echo x > /dev/tty", /No such device/],
  "a higher limit": ["ulimit -u 4000 -n 100000", /./],
  "a fixed layout of memory": ["setarch -R true", /./],
  "names of the host": ["getent hosts example.com; echo $?", /^2\n$/],
  "an address outside": [py('import socket; socket.create_connection(("1.1.1.1", 80), 3)'), /unreachable/],
  "a signal to everyone": ["kill -9 -1; echo alive", /./],
  "names of its own processes": ["printf 'x) R 1' > /proc/self/comm; echo ok", /ok|denied/],
  "a preloaded library": ["export LD_PRELOAD=/home/user/x.so BASH_ENV=/home/user/x PATH=/nowhere", /^$/],
};

/** Files that a command leaves for the programs of the gateway, and the command that finds the container well. */
const traps: Readonly<Record<string, string>> = {
  "a home folder without rights": "chmod 000 ~ /run /tmp",
  "a state that is a pipe": "rm -f /run/state; mkfifo /run/state; trap - EXIT; exec true",
  "a state that is a link": "rm -f /run/state; ln -s /etc/passwd /run/state; trap - EXIT; exec true",
  "a state that is a folder": "rm -f /run/state; mkdir /run/state; trap - EXIT; exec true",
  "a state that never ends": "head -c 9000000 /dev/zero > /run/state; trap - EXIT; exec true",
  "names that are options": "touch -- -rf --checkpoint-action=exec=sh '*'",
  "names with every byte": "touch \"$(printf 'a\\nb\\tc')\" \"$(printf '\\377\\001')\"",
  "pipes and sockets": "mkfifo pipe; python3 -c 'import socket; socket.socket(1).bind(\"socket\")'",
  "links that lead away":
    "ln -s /etc/shadow l; ln -s / root; ln -s loop loop; mkdir d; ln -s ../../../../proc/1/environ d/e",
  "hard links": "echo x > h1; ln h1 h2; ln /usr/bin/env h3 2> /dev/null; true",
  "folders without rights": "mkdir -p locked/in; echo x > locked/in/f; chmod 000 locked",
  "a file without rights": "echo secret > closed; chmod 000 closed",
  "a sparse file": "truncate -s 90M sparse",
};

async function answers(process: SandboxProcess, after: string): Promise<void> {
  assert.equal(shown(await runIn(process, "echo well", { timeoutMs: 20_000 })), "well\n", after);
}

/** Larger files are refused before they are read. */
const isKept = (size: number) => size > 0 && size <= MAX_CONTAINER_FILE_BYTES;

const state = (outcome: CommandOutcome) =>
  outcome.type === "ended" ? { environment: outcome.environment, workingFolder: outcome.workingFolder } : {};

if (hasBubblewrap()) {
  Deno.test("nothing of the host can be reached from a sandbox", async (t) => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    const process = await rig.open();
    assert(Object.keys(attacks).length >= 60);
    let before = {};
    for (const [name, [code, shows]] of Object.entries(attacks)) {
      await t.step(name, async () => {
        const outcome = await runIn(process, code, { timeoutMs: 20_000 });
        assert.match(shown(outcome), shows);
        before = state(outcome);
      });
    }
    // Whatever the last one exported: the gateway's own programs do not see it.
    assert.equal((await runIn(process, "/bin/true", before)).type, "ended");
    await answers(process, "all attacks");
    process.release(undefined);
  });

  Deno.test("nothing that a command leaves stops the next one", async (t) => {
    await using rig = sandboxRig({ engine: "bubblewrap" });
    for (const [name, code] of Object.entries(traps)) {
      await t.step(name, async () => {
        const process = await rig.open({ container: name });
        const outcome = await runIn(process, code, { timeoutMs: 20_000 });
        assert.equal(outcome.type, "ended", shown(outcome));
        if (outcome.type !== "ended") return;
        for (const change of outcome.changes) {
          if (change.type === "deleted" || change.entry.type !== "file" || !isKept(change.entry.size)) {
            continue;
          }
          const content = await Array.fromAsync(process.readFile(change.entry.path));
          assert.equal(Buffer.concat(content).length, change.entry.size, change.entry.path);
        }
        await answers(process, name);
        process.release(undefined);
      });
    }
  });
}
