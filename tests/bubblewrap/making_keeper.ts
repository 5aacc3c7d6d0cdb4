/**
 * A keeper that makes one thing up to a moment, which the variable `MAKING` names. A line of its input ends that, and
 * the next one its container.
 */

import { startBox } from "../../server/sandbox/bubblewrap/box_run.ts";
import { boxChain, forwarderChain, holderChain } from "../../server/sandbox/bubblewrap/chains.ts";
import { findHostLayout } from "../../server/sandbox/bubblewrap/host_layout.ts";
import { forwarderFiles } from "../../server/sandbox/bubblewrap/network/forwarder_run.ts";
import { endHolder, endSandbox } from "../../server/sandbox/bubblewrap/process_tree.ts";
import { createClock } from "../../server/runtime.ts";
import { type Making, waiting } from "./making.ts";

/** A user that nobody has. */
const uid = Deno.uid() === 0 ? 2_147_000_002 : undefined;
const { kind, before, mark } = toMaking(JSON.parse(Deno.env.get("MAKING") ?? ""));
const clock = createClock();
const layout = findHostLayout({});

function toMaking(value: unknown): Making {
  return value as Making;
}

function start(chain: readonly string[], step: string): Deno.ChildProcess {
  return startBox(waiting([...chain, mark], step));
}

async function startHolder(): Promise<Deno.ChildProcess> {
  const chain = holderChain({ layout, uid, bytes: 1_000_000, entries: 100 });
  if (kind === "holder") return start(chain, before);
  const holder = start(chain, "runs");
  await holder.stdout.getReader().read();
  return holder;
}

/** Ends what was made: all that it is made of has ended when the started process has. */
async function end(made: Deno.ChildProcess, by: typeof endHolder): Promise<void> {
  by(made, clock);
  // What waits for its input waits no longer.
  await made.stdin.close().catch(() => {
    // It has ended, and its pipe with it.
  });
  console.log((await made.status).success);
}

const input = Deno.stdin.readable.getReader();
const holder = await startHolder();
if (kind !== "holder") {
  const place = { layout, uid, holder: holder.pid };
  const made = kind === "forwarder"
    ? start(forwarderChain({ ...place, files: forwarderFiles }), before)
    : start(boxChain({ ...place, program: ["/bin/sleep"], networkOf: undefined }), before);
  await input.read();
  await end(made, endSandbox);
}
await input.read();
await end(holder, endHolder);
// It stays until it is killed.
await input.read();
