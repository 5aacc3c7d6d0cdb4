/** Tries once, when the gateway starts, whether sandboxes can be had here, and whether all of their walls stand. */

import { type Keeper, KeeperUnavailable } from "../keeper/keeper.ts";
import { ProcessEnded } from "../process_session.ts";
import { BoxSession } from "./box_session.ts";
import type { Trial } from "../chosen_sandbox.ts";
import { readTrial } from "./walls.ts";

interface TryOptions {
  readonly keeper: Keeper;
  readonly memoryMib: number;
  /** Ends the trial. */
  readonly signal: AbortSignal;
}

const WALLS_MS = 20_000;
const ATTEMPTS = 3;

/** Messages of the first program that fails, with what the operator can do. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/nice: .{0,20}bwrap.{0,40}No such file/, "bubblewrap is not installed: `apt install bubblewrap`."],
  [
    /(?:setpriv|unshare|nsenter|setsid): No such file/,
    "util-linux is not installed: `apt install util-linux`.",
  ],
  [
    /No permissions to create new namespace|unshare failed: Operation not permitted/,
    "This system does not let programs make user namespaces. In Docker: `--security-opt seccomp=unconfined`, or a " +
    "profile that allows clone, unshare, mount, umount2, pivot_root and setns.",
  ],
  [
    /ENOSPC|No space left on device/,
    "`user.max_user_namespaces` is too small: one is used for a container, two for a command.",
  ],
  [
    /uid map: Permission denied|uid_map/,
    "AppArmor restricts user namespaces here (`kernel.apparmor_restrict_unprivileged_userns`): see docs/containers.md.",
  ],
  [
    /mount \/?proc/,
    "`/proc` is masked here: in Docker `--security-opt systempaths=unconfined`, in Kubernetes " +
    "`procMount: Unmasked` with `hostUsers: false`.",
  ],
  [
    /Exec format error/,
    "The programs of `sandbox.root` are for another kind of processor than this machine's.",
  ],
  [
    /(?:execvp|failed to execute) \S*(?:sh|prlimit)/,
    "The root file system has no bash, or not the libraries that its programs need.",
  ],
  [/Unknown option/, "bubblewrap is too old here: 0.8.0 or newer is needed."],
];

/** Says why none can be had, for the operator, or which programs there are. */
export async function trySandbox(options: TryOptions): Promise<Trial> {
  if (Deno.build.os !== "linux") return { fault: "The engine bubblewrap needs Linux." };
  for (let attempt = 1;; attempt++) {
    try {
      return await tryOnce(options);
    } catch (error) {
      const cause = error instanceof ProcessEnded ? error.cause : error;
      const { keeper, signal } = options;
      const hasNext = keeper.unavailableReason === undefined && !signal.aborted && attempt < ATTEMPTS;
      // The keeper has ended under it, which says nothing about the sandbox.
      if (cause instanceof KeeperUnavailable && hasNext) continue;
      if (cause instanceof KeeperUnavailable) return { fault: cause.message };
      return { fault: sentenceFor(error instanceof ProcessEnded ? error.message : String(error)) };
    }
  }
}

const tryOnce = ({ signal, ...options }: TryOptions): Promise<Trial> =>
  withBox(options, {
    signal,
    use: async (session) => {
      const alone = await tryWalls(session);
      if (alone.fault !== undefined) return alone;
      // Commands that may connect share the network of the forwarder: the same walls must stand there.
      await session.network.open(() => Promise.resolve());
      return await tryWalls(session);
    },
  });

interface BoxUse<T> {
  readonly use: (session: BoxSession) => Promise<T>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** A sandbox of its own for one thing. Rejects with ProcessEnded or KeeperUnavailable. */
export async function withBox<T>(
  options: ConstructorParameters<typeof BoxSession>[0],
  { use, signal }: BoxUse<T>,
): Promise<T> {
  const session = new BoxSession(options);
  const stop = () => session.kill();
  signal.addEventListener("abort", stop);
  try {
    signal.throwIfAborted();
    await session.ready;
    return await use(session);
  } finally {
    signal.removeEventListener("abort", stop);
    session.kill();
    // Its place is free before anything else is started.
    await session.ended;
  }
}

async function tryWalls(session: BoxSession): Promise<Trial> {
  const { code, stdout, stderr } = await session.run({ program: "walls", parts: [], timeMs: WALLS_MS });
  const decoder = new TextDecoder();
  return code === 0 ? readTrial(decoder.decode(stdout)) : { fault: sentenceFor(decoder.decode(stderr)) };
}

function sentenceFor(errorText: string): string {
  const start = errorText.slice(0, MAX_SHOWN_CHARS);
  // A sentence already.
  if (start.startsWith("sandbox.root ") || start.startsWith("The folders ")) return start;
  const known = sentences.find(([pattern]) => pattern.test(start))?.[1];
  return known ?? `No sandbox could be started: ${start.trim().split("\n")[0] ?? ""}`;
}

const MAX_SHOWN_CHARS = 1_000;
