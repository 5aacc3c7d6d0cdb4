/** Systems of many kinds, in which programs of ours are started. */

import { fileURLToPath } from "node:url";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { RestartedKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { Memo } from "../../shared/util/memo.ts";
import { asObject } from "../support/event_stream.ts";

/** A system, made by a shell that then runs the program in its arguments. */
export interface System {
  readonly script: string;
  /** Undefined: all walls stand. */
  readonly says?: RegExp;
}

/** In a mount namespace of its own. */
const inOwn = (script: string) =>
  `exec unshare --mount --propagation private sh -ec '${script}; exec "$@"' sh "$@"`;
/** Takes programs away. */
const without = (...names: readonly string[]) =>
  inOwn(
    `mount -t tmpfs tmpfs /media; mkdir /media/up /media/work
    mount -t overlay -o lowerdir=/usr/bin,upperdir=/media/up,workdir=/media/work overlay /usr/bin
    rm ${names.map((name) => `/usr/bin/${name}`).join(" ")}`,
  );
/** Puts a program in the place of another one. */
const fake = (name: string, says: string) =>
  inOwn(
    `mount -t tmpfs tmpfs /media; printf "#!/bin/sh\\necho \\"${says}\\" >&2; exit 1\\n" > /media/fake
    chmod 755 /media/fake; mount --bind /media/fake /usr/bin/${name}`,
  );

const namespaces = /^This system does not let programs make user namespaces\. In Docker: `--security-opt/;

export const systems: Readonly<Record<string, System>> = {
  "as root": { script: 'exec "$@"' },
  "as an ordinary user": {
    script: inOwn(
      'exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"',
    ),
  },
  "without bubblewrap": {
    script: without("bwrap"),
    says: /^bubblewrap is not installed: `apt install bubblewrap`\.$/,
  },
  "without util-linux": {
    script: without("nsenter"),
    says: /^util-linux is not installed: `apt install util-linux`\.$/,
  },
  "with an old bubblewrap": {
    script: fake("bwrap", "bwrap: Unknown option --disable-userns"),
    says: /^bubblewrap is too old here: 0\.8\.0 or newer is needed\.$/,
  },
  "with AppArmor's rule": {
    script: fake("unshare", "unshare: write failed /proc/self/uid_map: Operation not permitted"),
    says: /^AppArmor restricts user namespaces here/,
  },
  "where programs may make no namespaces": {
    script: inOwn('mount --rbind / /media; exec chroot /media "$@"'),
    says: namespaces,
  },
  "with user namespaces off": {
    script: `exec unshare --user --map-user=1000 --map-group=1000 --keep-caps sh -ec '
      echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --inh-caps=-all --ambient-caps=-all "$@"' sh "$@"`,
    says: /^`user\.max_user_namespaces` is too small/,
  },
  "inside a user namespace": {
    script: 'exec unshare --user --map-user=1000 --map-group=1000 "$@"',
  },
  "with a masked /proc": {
    script: inOwn("mount --bind /dev/null /proc/timer_list"),
    says: /^`\/proc` is masked here/,
  },
  "with an old kernel": {
    script: 'exec setarch --uname-2.6 "$@"',
    says: /^The kernel is 2\.6\.\S+: 5\.14 or newer is needed/,
  },
};

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
/** Where code and packages are for every user. */
const [CODE, CACHE] = ["/srv/code", "/srv/cache"] as const;

const denoDir = new Memo(async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return String(asObject(JSON.parse(new TextDecoder().decode(stdout))).denoDir);
});

interface SystemProgram {
  /** Below the checkout. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stderr?: "piped";
  /** Folders of this system, and where the program has them. */
  readonly folders?: Readonly<Record<string, string>>;
}

/** Makes the code and Deno's packages readable for every user, then the system, and runs a program of ours in it. */
export async function startIn(
  { script }: System,
  { file, env, stderr, folders = {} }: SystemProgram,
): Promise<Deno.ChildProcess> {
  const mounts = { [REPOSITORY]: CODE, [await denoDir.get()]: CACHE, ...folders };
  const outer = [
    "mount -t tmpfs -o mode=755 tmpfs /srv",
    ...Object.entries(mounts).map(([from, to]) => `mkdir ${to}; mount --bind '${from}' ${to}`),
    `cd /; ${script}`,
  ].join("\n");
  const program = [
    "run",
    "--allow-all",
    "--no-prompt",
    "--frozen",
    "--cached-only",
    `--config=${CODE}/deno.json`,
  ];
  return new Deno.Command("unshare", {
    args: [
      ...["--mount", "--propagation", "private", "sh", "-ec", outer, "sh"],
      ...[Deno.execPath(), ...program, `${CODE}/${file}`],
    ],
    env: { ...env, DENO_DIR: CACHE },
    stdin: "piped",
    stdout: "piped",
    stderr,
  }).spawn();
}

/** A keeper on a system. */
export function keeperOn(
  system: System,
  options: Pick<ConstructorParameters<typeof RestartedKeeper>[0], "clock" | "log">,
): Keeper {
  const start = async () => {
    const child = await startIn(system, { file: "server/sandbox/keeper/main.ts", env: keeperEnvironment() });
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      ended: child.status,
      kill: () => child.kill("SIGKILL"),
    };
  };
  return new RestartedKeeper({ ...options, starter: { start, close: () => {} } });
}
