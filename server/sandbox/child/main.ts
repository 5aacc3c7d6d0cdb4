/**
 * Runs the commands of one container, and ends with it. Its only rights are to read the packages that it is made of;
 * what runs in it may take it over, which gains nothing.
 */

import { createClock } from "../../runtime.ts";
import { ContainerProcess } from "./container_process.ts";
import { FileTree } from "./files/file_tree.ts";
import { GatewayChannel } from "./gateway_channel.ts";
import { createPython } from "./python/python.ts";

const MIB = 1024 * 1024;
/** A process without a request for so long is a spare one. */
const IDLE_MS = 50;
/** Entries besides those of the home folder: the shell's own, and temporary ones. */
const MAX_NODES = 20_000;

/** Libraries print here what is for nobody, and the pipe is the gateway's. */
function silenceConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error", "trace"] as const) console[name] = () => {};
}

/** Handles one request after the other; a second one that comes meanwhile is an error of the gateway's. */
async function serve(channel: GatewayChannel, process: ContainerProcess): Promise<void> {
  let isBusy = false;
  const cancel = createClock().after(IDLE_MS, () => void process.warmUp());
  for await (const request of channel.requests()) {
    cancel();
    if (isBusy) Deno.exit(1);
    isBusy = true;
    // A request that cannot be handled ends the process, and the gateway starts another one.
    process.handle(request).then(() => isBusy = false, () => Deno.exit(1));
  }
}

silenceConsole();
const [memoryMib = "512"] = Deno.args;
const channel = new GatewayChannel();
const tree = new FileTree({
  maxBytes: Number(memoryMib) * MIB / 2,
  maxNodes: MAX_NODES,
  now: createClock().now,
});
const process = new ContainerProcess({
  channel,
  tree,
  createPython: (requestPackages) => createPython({ tree, requestPackages }),
});
await channel.reply({ type: "ready" });
await serve(channel, process);
