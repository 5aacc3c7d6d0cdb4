/** Runs the image's file tree as a container would: its user, its root read-only, its namespaces, no way out. */

import { keyOf } from "../support/first_keys.ts";
import { freePort } from "../support/free_port.ts";
import { until } from "../support/until.ts";
import type { Image } from "./image_tree.ts";

/**
 * In namespaces of its own: the root read-only, a tmpfs for temporary files, the volume at /data, and what stands
 * behind is let go of, so that nothing else of the machine is seen. No capability is left.
 */
const ENTER = `
set -eu
root=$1 data=$2 uid=$3 workdir=$4; shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount --rbind /dev "$root/dev"
mount --bind "$data" "$root/data"
mkdir "$root/tmp/old"
cd "$root"
pivot_root . tmp/old
umount -l /tmp/old
rmdir /tmp/old
cd "$workdir"
exec setpriv --reuid "$uid" --regid "$uid" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@"
`;

/** Where a container has its volume. */
const VOLUME = "/data";

export interface RunningImage extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** Lines of its log until now. */
  readonly log: () => string;
  /** Status of the check that the image names. */
  readonly health: () => Promise<number>;
  /** Sends a signal to the container's first process. */
  readonly send: (signal: "HUP") => Promise<unknown>;
  /** Sends SIGTERM to the container's first process; its status. */
  readonly stop: () => Promise<number>;
}

interface RunOptions {
  /** Folder of the volume. */
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
}

function commandOf(image: Image, words: readonly string[], { data, env = {} }: RunOptions): Deno.Command {
  const namespaces = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
  return new Deno.Command("unshare", {
    args: [...namespaces, "bash", "-c", ENTER, "bash", image.root, data, image.user, image.workdir, ...words],
    env: { ...Object.fromEntries(image.env), ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Starts a container with the volume, and waits until it serves. */
export async function runImage(image: Image, options: RunOptions): Promise<RunningImage> {
  const port = String(freePort());
  // Whatever it would fetch from elsewhere is refused: a start needs no network.
  const nowhere = {
    HTTP_PROXY: "http://127.0.0.1:1",
    HTTPS_PROXY: "http://127.0.0.1:1",
    NO_PROXY: "127.0.0.1",
  };
  const env = { ...nowhere, PORT: port, LOG_FORMAT: "json", ...options.env };
  const child = commandOf(image, image.command, { ...options, env }).spawn();
  let log = "";
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) log += text;
  });
  let ended: Deno.CommandStatus | undefined;
  child.status.then((status) => ended = status);
  // To the container's first process, the child of `unshare`; with it ends the whole container.
  const signalFirst = (signal: string) =>
    new Deno.Command("pkill", { args: [`-${signal}`, "-P", String(child.pid)] }).output();
  const url = `http://127.0.0.1:${port}`;
  await until(() => {
    if (ended !== undefined) throw new Error(`The container has ended: ${log}`);
    return log.includes("Gateway started");
  });
  const folder = (options.env?.TOLLGATE_DATA ?? VOLUME).replace(VOLUME, options.data);
  const apiKey = keyOf(await Deno.readTextFile(`${folder}/first-keys.txt`), "API key") ?? "";
  return {
    url,
    apiKey,
    log: () => log,
    health: async () => (await commandOf(image, image.healthcheck, { ...options, env }).output()).code,
    send: signalFirst,
    stop: async () => {
      await signalFirst("TERM");
      const { code } = await child.status;
      await Promise.all(reading);
      return code;
    },
    [Symbol.asyncDispose]: async () => {
      await signalFirst("KILL");
      await child.status;
      await Promise.all(reading);
    },
  };
}
