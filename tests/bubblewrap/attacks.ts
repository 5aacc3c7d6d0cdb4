/** Hostile commands, and what each shows in a sandbox whose walls all stand. */

/** A command, and what it shows. */
export type Attack = readonly [code: string, shows: RegExp];

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
const REFUSED_OR_NONE = /Operation not permitted|No space left on device/;
const MISSING = /^-1 Function not implemented\n$/;

/**
 * None of them needs a container of its own, and none writes: where a wall is taken away, what it would have met stays
 * as it is. `OUTSIDE_PORT`, `OUTSIDE_PID` and `OUTSIDE_NAMESPACES` are the machine's: a port that listens, a process,
 * and names of namespaces.
 */
export const attacks: Readonly<Record<string, Attack>> = {
  "the host's users": ["cat /etc/shadow", /No such file/],
  "the host's settings": ["ls /etc; cat /etc/hostname /etc/machine-id", /No such file/],
  "homes of the host": ["ls /root /home/*/.ssh", /No such file/],
  "folders of the host": ["ls /var /srv /opt /mnt /media /boot /sys", /(?:No such file[^]*){7}/],
  "data of the gateway": [
    "find / -xdev -name '*.sqlite3' -o -name master.key 2> /dev/null; echo end",
    /^end\n$/,
  ],
  "the root": ["touch /x", /Read-only file system/],
  "programs": [": >> /usr/bin/env", /Read-only file system|Permission denied/],
  "settings of the sandbox": [": >> /etc/passwd", /Read-only file system|Permission denied/],
  "devices": [
    "mknod /tmp/sda b 8 0; ls /dev/sda /dev/vda /dev/mem /dev/kvm",
    /Operation not permitted[^]*No such file/,
  ],
  "a device in /dev": ["mknod /dev/x c 1 1; touch /dev/x", /Read-only file system/],
  "the program of process 1": [": >> /proc/1/exe", /Permission denied|Text file busy|Read-only/],
  "the environment of who started it": [
    "tr '\\0' '\\n' < /proc/1/environ | grep -ciE 'deno|tollgate|key|token|secret'",
    /^0$/m,
  ],
  "processes of others": ["ls /proc | grep -cE '^[0-9]+$'", /^[1-9]\n$/],
  "processes of who made it": ["grep -lxE 'bwrap|cat|nsenter' /proc/[0-9]*/comm | wc -l", /^0\n$/],
  "the memory of process 1": [py('open("/proc/1/mem", "rb").read(1)'), /PermissionError|OSError/],
  "the root of process 1": [
    "cd /proc/1/root && ls etc/shadow; ls /proc/1/cwd/../../etc/shadow",
    /No such file/,
  ],
  "a core of the kernel": ["head -c 9 /proc/kcore; echo end", /end/],
  "the core pattern": [
    ": >> /proc/sys/kernel/core_pattern",
    /Read-only file system|Permission denied/,
  ],
  "a request of the kernel": [": >> /proc/sysrq-trigger", /Permission denied|No such file|Read-only/],
  "forwarding": [": >> /proc/sys/net/ipv4/ip_forward", /Read-only file system|Permission denied/],
  "the score of the memory killer": [
    "echo -1000 > /proc/self/oom_score_adj",
    /Read-only file system|Permission denied/,
  ],
  "what Linux keeps of a process": ["echo x > /proc/self/comm", /Read-only file system/],
  "users of a namespace": ["unshare --user --map-root-user true", REFUSED_OR_NONE],
  "a network of its own": ["unshare --net true", /Operation not permitted/],
  "mounts of its own": ["unshare --mount true", /Operation not permitted/],
  "a sandbox in the sandbox": ["bwrap --ro-bind / / true || echo failed", /failed/],
  "a namespace of another process": ["nsenter --target=1 --mount true || echo failed", /failed/],
  "a mount": [
    "mount -t tmpfs none /tmp; mount --bind / /tmp",
    /must be superuser|permission denied|not permitted/i,
  ],
  "taking a mount away": [
    "umount /proc",
    /umount failed|must be superuser|permission denied|not permitted/i,
  ],
  "making /usr writable": ["mount -o remount,rw /usr", /must be superuser|permission denied|not permitted/i],
  "another root": ["/usr/sbin/chroot / true", /Operation not permitted/],
  "a setuid program": ["cp /bin/bash b; chmod 4755 b; ./b -p -c 'id -u'; rm b", /^1000\n$/],
  "another user": ["su root -c id; id -u", /^1000$/m],
  "a capability": ["grep CapEff /proc/self/status", /0000000000000000/],
  "the clock": ["date -s 2001-01-01 > /dev/null", /Operation not permitted/],
  "the host's name": ["hostname; hostname other && echo changed", /^sandbox\n(?!changed)/],
  "a trace of a process": [call([101, 117], "0, 0, 0, 0"), REFUSED],
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
  "a higher limit": ["ulimit -u 4000 -n 100000", /cannot modify limit/],
  "a fixed layout of memory": ["setarch $(uname -m) -R true", /Operation not permitted/],
  "names of the host": ["getent hosts example.com; echo $?", /^2\n$/],
  // Nothing is sent: the kernel looks for a way only.
  "a way outside": [py('import socket; socket.socket(2, 2).connect(("1.1.1.1", 80))'), /unreachable/],
  "a port of the machine": ["exec 3<> /dev/tcp/127.0.0.1/$OUTSIDE_PORT", /refused/],
  "sockets of the machine": ["tail -n +2 /proc/net/unix | wc -l", /^0\n$/],
  "a signal to who started it": ["kill -0 $OUTSIDE_PID", /No such process/],
  "namespaces of the machine": [
    'for kind in cgroup ipc mnt net pid user uts; do case "$OUTSIDE_NAMESPACES" in ' +
    '*"$(readlink "/proc/self/ns/$kind")"*) echo $kind ;; esac; done',
    /^$/,
  ],
  "files that tell of the machine": [
    "cat /proc/partitions /proc/cmdline /proc/interrupts 2> /dev/null | wc -c",
    /^0\n$/,
  ],
  "files that were open": [
    'for f in /proc/self/fd/*; do f=${f##*/}; [ "$f" -lt 3 ] || readlink "/proc/self/fd/$f"; done; true',
    /^$/,
  ],
  "devices in folders that can be written": [
    "for f in /tmp/* ~/* /run/*; do [ -c $f ] && : < $f && echo opened; done; true",
    /^$/,
  ],
  "new rights by a program": ["grep NoNewPrivs /proc/self/status", /1$/m],
  "a bomb of processes": [
    py(`
import os, signal
pids = []
try:
    for _ in range(150):
        pids.append(os.fork())
        if pids[-1] == 0: signal.pause()
    print("all")
except OSError as error: print(error)
for pid in pids: os.kill(pid, 9)
`),
    /Resource temporarily unavailable/,
  ],
  "a bomb of open files": [py("import os; [os.dup(0) for _ in range(2000)]"), /Too many open files/],
  "a bomb of names": [
    "mkdir /tmp/n; " +
    py('import os; open("/tmp/n/0", "w"); [os.link("/tmp/n/0", f"/tmp/n/{i}") for i in range(1, 21000)]') +
    "; rm -r /tmp/n",
    /No space left on device/,
  ],
  "a bomb of bytes": [
    "for i in 1 2 3; do head -c 99M /dev/zero > /tmp/b$i; done; rm /tmp/b*",
    /No space left on device/,
  ],
  "a file without an end": ["truncate -s 200M /tmp/e; echo $?; rm -f /tmp/e", /^153$|File too large/m],
  "names of its own processes": ["printf 'x) R 1' > /proc/self/comm; echo ok", /ok|denied/],
  "a preloaded library": ["export LD_PRELOAD=/home/user/x.so BASH_ENV=/home/user/x PATH=/nowhere", /^$/],
};
