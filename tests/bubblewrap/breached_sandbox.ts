/** A sandbox that is started without some of its walls, for tests of what each of them holds. */

import assert from "node:assert/strict";
import { PIPED } from "../../server/sandbox/bubblewrap/box_run.ts";
import { type BoxProgramName, boxPrograms } from "../../server/sandbox/bubblewrap/box_programs.ts";
import { boxChain, forwarderChain, holderChain } from "../../server/sandbox/bubblewrap/chains.ts";
import { forwarderFiles, ForwarderRun } from "../../server/sandbox/bubblewrap/network/forwarder_run.ts";
import { createClock } from "../../server/runtime.ts";
import { Memo } from "../../shared/util/memo.ts";
import { hostLayout } from "../support/bubblewrap.ts";

export type Chain = readonly string[];

/** A change of what is started. */
export interface Breach {
  /** Undefined: the user of this process. */
  readonly uid: number | undefined;
  /** The sandbox shares the network of a forwarder, which is started so. */
  readonly forwarder?: (chain: Chain) => Chain;
  readonly holder?: (chain: Chain) => Chain;
  readonly box?: (chain: Chain) => Chain;
}

/** That the files of the sandbox may take. */
export const ROOM_BYTES = 64 * 1024 * 1024;

const layout = new Memo(hostLayout);

async function startHolder({ uid, holder = (chain) => chain }: Breach) {
  const chain = holderChain({ layout: await layout.get(), uid, bytes: ROOM_BYTES, entries: 20_000 });
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
  { uid, forwarder: change }: Breach,
  holder: number,
) {
  if (change === undefined) return undefined;
  const listening = Promise.withResolvers<void>();
  const chain = change(forwarderChain({ layout: await layout.get(), uid, holder, files: forwarderFiles }));
  const run = new ForwarderRun({
    chain,
    clock: createClock(),
    onEvent: () => Promise.resolve(listening.resolve()),
  });
  run.send({ type: "listen", run: 1 }, new Uint8Array(0));
  await Promise.race([listening.promise, run.ended]);
  return run;
}

interface ProgramInput {
  readonly program: BoxProgramName;
  /** Standard input, made of the number of the process that holds the files. */
  readonly input: (holder: number) => string | Promise<string>;
}

/** Runs a program behind the walls that are left; returns what it printed. */
export async function runBreached(breach: Breach, { program, input }: ProgramInput): Promise<string> {
  const holder = await startHolder(breach);
  const forwarder = await startForwarder(breach, holder.pid);
  try {
    const { uid, box = (chain: Chain) => chain } = breach;
    const [command = "", ...args] = box(
      boxChain({
        layout: await layout.get(),
        uid,
        holder: holder.pid,
        program: boxPrograms[program].command,
        networkOf: forwarder?.process,
      }),
    );
    const child = new Deno.Command(command, { ...PIPED, args }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(await input(holder.pid)));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  } finally {
    forwarder?.kill();
    await forwarder?.ended;
    await holder.end();
  }
}
