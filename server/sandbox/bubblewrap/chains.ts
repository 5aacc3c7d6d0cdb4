/**
 * The command lines that hold the files of a container and run one program on them. Every part of them is written
 * here: programs by their absolute paths, cleared environments, and no word of a caller.
 */

import { systemCallFilter } from "./system_call_filter.ts";

/** Places of this system that a sandbox needs, as the keeper finds them once. */
export interface HostLayout {
  /** Folder of the root file system whose programs run; "" for this system's own. */
  readonly root: string;
  /** Folders of the root beside `/usr`: a link to its target, or a folder of its own. */
  readonly folders: readonly { readonly name: string; readonly target: string | undefined }[];
  /** Files below `/proc` that tell of the host. */
  readonly maskedFiles: readonly string[];
  /** Folder of further packages of Python. */
  readonly packages: string | undefined;
  /** Empty folder that the files of containers are mounted on, in a namespace of their own. */
  readonly mountPoint: string;
}

interface HolderInput {
  readonly layout: HostLayout;
  /** User of this container alone, where the gateway is root: root's own processes are bound by no limit. */
  readonly uid: number | undefined;
  /** Bytes of all its files, and of `/tmp`. */
  readonly bytes: number;
  /** Number of files and folders. */
  readonly entries: number;
}

interface BoxInput extends Pick<HolderInput, "layout" | "uid"> {
  /** Process that holds the files. */
  readonly holder: number;
}

interface ProgramInBox extends BoxInput {
  readonly program: readonly string[];
  /** Process whose network is shared; undefined: the program has one of its own, which is empty. */
  readonly networkOf: number | undefined;
}

interface ForwarderInput extends BoxInput {
  /** Paths of Deno, of the forwarder and of what it imports, for the keeper to open. */
  readonly files: { readonly deno: string; readonly forwarder: string; readonly frames: string };
}

const MIB = 1024 * 1024;
const MAX_PROCESSES = 128;
const MAX_OPEN_FILES = 1_024;
const MAX_FILE_BYTES = 100 * MIB;

const asUser = (uid: number | undefined): readonly string[] =>
  uid === undefined ? [] : ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];

/**
 * Files that were open when the gateway started would reach the program. The loop itself is not redirected: bash would
 * close what it keeps for that.
 */
const CLOSE_FILES = 'for f in /proc/self/fd/*; do f=${f##*/}; [ "$f" -gt 2 ] && eval "exec $f>&-"; done; ';

/** The sandbox's own `/etc`, its filter and its four writable folders: one budget of bytes and entries for all. */
const HOLD = `set -e
mount -t tmpfs -o "size=$1,nr_inodes=$2,mode=0755,nosuid,nodev" tmpfs "$3"
[ "$5" = 0 ] || { mkdir "$3/python"; mount --no-canonicalize --rbind . "$3/python"; }
cd "$3"
mkdir -m 0700 home run
mkdir -m 1777 tmp shm
mkdir etc
printf 'root:x:0:0:root:/root:/bin/bash\\nuser:x:1000:1000:user:/home/user:/bin/bash\\n' > etc/passwd
printf 'root:x:0:\\nuser:x:1000:\\n' > etc/group
printf '127.0.0.1 localhost sandbox\\n::1 localhost\\n' > etc/hosts
printf 'passwd: files\\ngroup: files\\nhosts: files\\n' > etc/nsswitch.conf
printf %s "$4" | base64 -d > filter
echo ready
exec env --ignore-signal=CHLD cat`;

/** The user of the container need not be allowed to walk to the packages: it starts there. */
const inPackages = ({ packages }: HostLayout): readonly string[] =>
  packages === undefined ? [] : ["/usr/bin/env", `--chdir=${packages}`];

/**
 * Holds the files of one container until its standard input ends, which the keeper alone keeps open. It is process 1
 * of a namespace that everything of the container runs in: with it the kernel ends all of that, whatever state it is
 * in and however the keeper has ended. Nothing of a model's runs in it.
 */
export function holderChain({ layout, uid, bytes, entries }: HolderInput): readonly string[] {
  const filter = systemCallFilter(Deno.build.arch).toBase64();
  const { mountPoint, packages } = layout;
  return [
    ...inPackages(layout),
    ...asUser(uid),
    "/bin/bash",
    "-c",
    CLOSE_FILES + 'exec "$@"',
    "bash",
    ...["/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--propagation", "private"],
    ...["--pid", "--mount-proc", "--fork", "--kill-child=KILL", "--"],
    ...[
      "/bin/sh",
      "-c",
      HOLD,
      "sh",
      String(bytes),
      String(entries),
      mountPoint,
      filter,
      packages === undefined ? "0" : "1",
    ],
  ];
}

/** Before anything is started: set from outside, it could come too late for a child. */
const YIELD = "echo 1000 > /proc/self/oom_score_adj; ";
/** A command may have taken these rights away, and the next one could not start. */
const REPAIR = '/bin/chmod 0700 "$0/home" "$0/run"; /bin/chmod 1777 "$0/tmp" "$0/shm"; ';

/**
 * Process 1 of the sandbox: ends with the program, and with it all that the program has left behind. Its own messages
 * do not reach the program's output.
 */
const FIRST_PROCESS = 'exec 3<&0 4>&2 2>/dev/null; "$@" <&3 2>&4 3<&- 4>&- & wait $!; exit $?';

/**
 * Enters the namespaces of a holder, in a process of its own that leads a group; where the holder has ended, there is
 * none. The entering process waits outside for that one's end.
 */
const enter = (holder: number, others: readonly string[] = []): readonly string[] => [
  ...["/usr/bin/nsenter", `--target=${holder}`, "--user", "--mount"],
  ...[`--pid=/proc/${holder}/ns/pid_for_children`, "--preserve-credentials", "--wd=/"],
  ...[...others, "--", "/usr/bin/setsid", "--"],
];

/** Runs a program in a new sandbox on the files that a holder holds. */
export function boxChain({ layout, uid, holder, program, networkOf }: ProgramInBox): readonly string[] {
  const network = networkOf === undefined ? [] : [`--net=/proc/${networkOf}/ns/net`];
  return [
    ...asUser(uid),
    ...enter(holder, network),
    ...["/bin/bash", "-c", `${CLOSE_FILES}${YIELD}${REPAIR}exec 3<"$0/filter"; exec "$@"`],
    layout.mountPoint,
    ...["/usr/bin/nice", "-n", "19", "/usr/bin/bwrap", "--clearenv"],
    ...(networkOf === undefined ? ["--unshare-net"] : setVariables(networkVariables)),
    ...[...boxOptions(layout), "--"],
    ...["/bin/sh", "-c", FIRST_PROCESS, "sh"],
    ...["/usr/bin/prlimit", `--nproc=${MAX_PROCESSES}`, `--nofile=${MAX_OPEN_FILES}`, "--core=0"],
    ...[`--fsize=${MAX_FILE_BYTES}`, "--memlock=0", "--msgqueue=0", "--"],
    ...program,
  ];
}

/** Folder of the forwarder's program in its sandbox: the modules find each other as in the source. */
const FORWARDER = "/opt/bubblewrap/network";

/**
 * Runs the forwarder in a sandbox with a network of its own, which commands share: no file of the container's, none
 * that can be written but a small `/tmp`. The keeper opens Deno and the modules: the user of the container may not
 * reach their folders.
 */
export function forwarderChain({ layout, uid, holder, files }: ForwarderInput): readonly string[] {
  return [
    ...["/bin/bash", "-c", `${CLOSE_FILES}exec 7<"$1" 8<"$2" 9<"$3"; shift 3; exec "$@"`, "bash"],
    ...[files.frames, files.forwarder, files.deno],
    ...asUser(uid),
    ...enter(holder),
    ...["/bin/bash", "-c", `${YIELD}exec 3<"$0/filter"; exec "$@"`, layout.mountPoint],
    ...["/usr/bin/nice", "-n", "19", "/usr/bin/bwrap", "--unshare-net", ...programOptions(layout)],
    ...["--ro-bind-data", "8", `${FORWARDER}/forwarder.ts`, "--ro-bind-data", "7", "/opt/keeper/frames.ts"],
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev"],
    ...["--size", String(MIB), "--tmpfs", "/tmp", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--clearenv", ...setVariables([["DENO_DIR", "/tmp/deno"], ["DENO_NO_UPDATE_CHECK", "1"]])],
    ...["--chdir", "/", "--seccomp", "3", "--", "/proc/self/fd/9", "run", "--no-prompt", "--no-config"],
    ...["--no-remote", "--no-npm", "--v8-flags=--max-old-space-size=32", "--allow-net=127.0.0.1:3128"],
    `${FORWARDER}/forwarder.ts`,
  ];
}

/** Written out: `--unshare-all` goes on where one of them fails. The network comes besides. */
const NAMESPACES = [
  "--unshare-user",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-cgroup",
  "--disable-userns",
] as const;

const ownEtc = ["passwd", "group", "hosts", "nsswitch.conf"] as const;
/** Parts of the root's `/etc`, where it has them, that say nothing about the host. */
const rootEtc = [
  "ld.so.cache",
  "alternatives",
  "ssl/certs",
  "ssl/openssl.cnf",
  "pki/tls/certs",
  "pki/ca-trust/extracted",
  "fonts",
  "localtime",
  "mime.types",
  "magic",
  // Settings without which their programs do not start.
  ...["ImageMagick-6", "ImageMagick-7", "ghostscript", "libreoffice", "matplotlibrc", "perl"],
  ...["java-11-openjdk", "java-17-openjdk", "java-21-openjdk", "java-25-openjdk"],
] as const;

/** Further packages of Python. */
const PACKAGES = "/opt/python";

/** Variables of every program. */
export const boxVariables = [
  ["PATH", "/usr/local/bin:/usr/bin:/bin"],
  ["HOME", "/home/user"],
  ["USER", "user"],
  ["LANG", "C.UTF-8"],
  ["TERM", "dumb"],
  ["PYTHONDONTWRITEBYTECODE", "1"],
  // Caches are no files of the model's.
  ["XDG_CACHE_HOME", "/tmp/cache"],
  ["MPLBACKEND", "agg"],
  ["MPLCONFIGDIR", "/tmp/matplotlib"],
  ["PYTHONPATH", PACKAGES],
  // Each of its threads counts as a process.
  ["OPENBLAS_NUM_THREADS", "2"],
] as const;

const PROXY = "http://127.0.0.1:3128";
const HERE = "localhost,127.0.0.1,::1";

/** Variables of programs with a network: programs read one form or the other. */
export const networkVariables = [
  ...["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, PROXY] as const),
  ...["no_proxy", "NO_PROXY"].map((name) => [name, HERE] as const),
] as const;

const setVariables = (variables: readonly (readonly [name: string, value: string])[]): readonly string[] =>
  variables.flatMap(([name, value]) => ["--setenv", name, value]);

/** The programs of a root, and who runs them. */
function programOptions({ root, folders }: HostLayout): readonly string[] {
  return [
    ...NAMESPACES,
    ...["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "sandbox"],
    ...["--die-with-parent", "--new-session", "--as-pid-1"],
    ...["--ro-bind", `${root}/usr`, "/usr"],
    ...folders.flatMap(({ name, target }) =>
      target === undefined ? ["--ro-bind", `${root}/${name}`, `/${name}`] : ["--symlink", target, `/${name}`]
    ),
  ];
}

/** Later mounts cover earlier ones, so their order matters; `--perms` is for the option behind it. */
function boxOptions(layout: HostLayout): readonly string[] {
  const { root, maskedFiles, mountPoint, packages } = layout;
  return [
    ...programOptions(layout),
    ...["--perms", "0755", "--dir", "/etc", "--perms", "0755", "--dir", "/etc/ssl"],
    ...ownEtc.flatMap((name) => ["--ro-bind", `${mountPoint}/etc/${name}`, `/etc/${name}`]),
    ...rootEtc.flatMap((name) => ["--ro-bind-try", `${root}/etc/${name}`, `/etc/${name}`]),
    ...packages === undefined
      ? []
      : ["--perms", "0755", "--dir", "/opt", "--ro-bind", `${mountPoint}/python`, PACKAGES],
    ...["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ...maskedFiles.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--dev", "/dev", "--bind", `${mountPoint}/shm`, "/dev/shm", "--bind", `${mountPoint}/tmp`, "/tmp"],
    ...["--perms", "0755", "--dir", "/home", "--bind", `${mountPoint}/home`, "/home/user"],
    ...["--bind", `${mountPoint}/run`, "/run"],
    // What a process writes there of itself, such as its niceness among sessions, would undo what the keeper writes.
    ...["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...setVariables(boxVariables),
    ...["--chdir", "/home/user", "--seccomp", "3"],
  ];
}
