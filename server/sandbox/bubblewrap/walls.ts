/**
 * The walls of a sandbox, each tried from inside before the engine is used. A wall that does not stand is named: no
 * command runs behind fewer than all of them.
 */

import type { Trial } from "../chosen_sandbox.ts";
import { neededPrograms, tellingFiles } from "./host_layout.ts";

/** Each is closed where its test, in bash, succeeds. */
const tests = {
  capabilities: `[ "$(status 'Cap(Inh|Prm|Eff|Bnd|Amb)' | sort -u)" = 0000000000000000 ]`,
  no_new_privileges: `[ "$(status NoNewPrivs)" = 1 ]`,
  system_call_filter:
    `[ "$(status Seccomp)" = 2 ] && setarch "$(uname -m)" true && fails setarch "$(uname -m)" -R true`,
  user: `[ "$(id -u):$(id -g)" = 1000:1000 ] && [ "$(wc -l < /proc/self/uid_map)" = 1 ] &&
    read -r inside _ count < /proc/self/uid_map && [ "$inside:$count" = 1000:1 ]`,
  processes: `[ "$(tr -d '\\0' < /proc/1/comm)" = sh ] && [ "$(ls /proc | grep -c '^[0-9]')" -lt 12 ]`,
  network:
    `[ "$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ')" = lo ] && [ "$(wc -l < /proc/net/route)" -le 1 ] &&
    [ "$(awk 'NR > 1 && NF > 7' /proc/net/unix | wc -l)" = 0 ]`,
  separate_namespaces: `for kind in cgroup ipc mnt net pid user uts; do
      case "$shared" in *"$(readlink "/proc/self/ns/$kind")"*) return 1 ;; esac
    done; [ -n "$shared" ]`,
  new_namespaces:
    `command -v unshare > /dev/null && fails unshare --user true && fails unshare --map-root-user --net true`,
  host_files:
    `[ "$(ls -A / | grep -vxE 'bin|dev|etc|home|lib|lib32|libx32|lib64|opt|proc|run|sbin|tmp|usr' | wc -l)" = 0 ] &&
    { [ ! -e /opt ] || [ "$(ls -A /opt)" = python ]; } &&
    [ "$(ls -A /home)" = user ] && [ ! -e /etc/shadow ] && [ ! -e /etc/machine-id ] && [ ! -e /run/systemd ]`,
  read_only:
    `for folder in / /dev /etc /usr /usr/bin /proc/sys/kernel; do fails mkdir "$folder/wall" || return 1; done
    [ ! -w /proc/sys/kernel/core_pattern ] && grep -q ' /proc/sys ro,' /proc/self/mountinfo &&
    ! awk '$5 !~ "^/(home/user|tmp|run|dev/.*)$" && $6 !~ "^ro," { found = 1 } END { exit !found }' /proc/self/mountinfo`,
  mount_options:
    `! awk '$6 !~ "nosuid" || ($5 !~ "^/(dev/|proc/)" && $6 !~ "nodev") { found = 1 } END { exit !found }' \\
    /proc/self/mountinfo`,
  host_settings: `for name in ${
    tellingFiles.join(" ")
  }; do [ ! -s "$name" ] && [ -z "$(head -c 1 "$name" 2> /dev/null)" ] || return 1; done`,
  environment:
    `! tr '\\0' '\\n' < /proc/1/environ | grep -qvE '^(PATH|HOME|USER|LANG|TERM|PWD|PYTHON|XDG|MPL|OPENBLAS|(https?|no)_proxy=|(HTTPS?|NO)_PROXY=)'`,
  open_files: `! ls /proc/self/fd | grep -qvxE '[0123]'`,
  terminal: `fails sh -c ': < /dev/tty'`,
  limits: `[ "$(ulimit -Hu):$(ulimit -Hn):$(ulimit -Hc):$(ulimit -Hl):$(ulimit -Hq)" = 128:1024:0:0:0 ] &&
    [ "$(ulimit -Hf)" = 102400 ]`,
  room: `[ "$(df --output=itotal /home/user | tail -n 1)" -le 20000 ] &&
    [ "$(($(stat -f -c '%b * %S' /home/user)))" -le "$most" ] &&
    [ "$(df --output=target /tmp | tail -n 1)" = /tmp ] && [ "$(stat -f -c %b /tmp)" = "$(stat -f -c %b /home/user)" ]`,
} as const satisfies Readonly<Record<string, string>>;

/** Programs that models ask for, and that a Linux system may have. */
const wanted = [
  ...[
    "awk",
    "bc",
    "curl",
    "ffmpeg",
    "file",
    "gcc",
    "git",
    "go",
    "java",
    "jq",
    "make",
    "node",
    "openssl",
    "pandoc",
  ],
  ...[
    "pdftotext",
    "perl",
    "php",
    "python3",
    "rg",
    "rsync",
    "ruby",
    "rustc",
    "soffice",
    "sqlite3",
    "tree",
    "unzip",
  ],
  ...["xmllint", "xxd", "xz", "yq", "zip", "zstd"],
] as const;

/** Changes with everything that a compiled package depends on. */
const PYTHON_VERSION =
  'import sys, platform; print("python", sys.implementation.cache_tag, platform.python_version(), ' +
  'platform.machine(), "-".join(platform.libc_ver()))';

/**
 * Reads what `wallsInput` makes. Prints what is missing and the names of the walls that do not stand, and `done`.
 */
export const wallsScript: string = [
  `for name in ${wanted.join(" ")}; do command -v "$name" > /dev/null && echo "program $name"; done`,
  `for name in ${neededPrograms.join(" ")}; do command -v "$name" > /dev/null || echo "missing $name"; done`,
  `command -v python3 > /dev/null && python3 -I -c '${PYTHON_VERSION}'`,
  "echo kernel $(uname -r)",
  `status() { sed -nE "s/^$1:[[:space:]]*//p" /proc/self/status; }`,
  "read -r most; shared=$(cat)",
  'fails() { ! "$@" > /dev/null 2>&1; }',
  ...Object.entries(tests).flatMap(([name, test]) => [
    `${name}_stands() { ${test}; }`,
    `${name}_stands 2> /dev/null || echo ${name}`,
  ]),
  "echo done",
].join("\n");

/** Standard input of the script: the bytes that a container's files may take, and the namespaces of this process. */
export function wallsInput(bytes: number): string {
  const folder = "/proc/self/ns";
  const namespaces = [...Deno.readDirSync(folder)].map(({ name }) => Deno.readLinkSync(`${folder}/${name}`));
  return [bytes, ...namespaces].join("\n");
}

/** Reads the output of the script. */
export function readTrial(output: string): Trial {
  const lines = output.trimEnd().split("\n");
  if (lines.pop() !== "done") {
    return { fault: "The sandbox cannot be tried: its shell ended before it had tried its walls." };
  }
  const [missing, programs] = [wordsBehind("missing ", lines), wordsBehind("program ", lines)];
  if (missing.length > 0) return { fault: `These programs are missing: ${missing.join(", ")}.` };
  const [kernel = ""] = wordsBehind("kernel ", lines);
  if (isOld(kernel)) {
    return {
      fault: `The kernel is ${kernel}: 5.14 or newer is needed, which counts the processes of each sandbox.`,
    };
  }
  const open = lines.filter((line) => !line.includes(" "));
  return open.length === 0
    ? { fault: undefined, programs, python: wordsBehind("python ", lines)[0] }
    : { fault: `These walls of the sandbox do not stand here: ${open.join(", ")}.` };
}

const LEAST_KERNEL = [5, 14] as const;

function isOld(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10));
  return major < LEAST_KERNEL[0] || (major === LEAST_KERNEL[0] && minor < LEAST_KERNEL[1]);
}

const wordsBehind = (start: string, lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => line.startsWith(start) ? [line.slice(start.length)] : []);
