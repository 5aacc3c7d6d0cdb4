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

/**
 * Handles one request after the other. The next one may be here before it is known that the last reply was written;
 * answers to calls are read meanwhile.
 */
async function serve(channel: GatewayChannel, process: ContainerProcess): Promise<void> {
  let last = Promise.resolve();
  const cancel = createClock().after(IDLE_MS, () => void process.warmUp());
  for await (const request of channel.requests()) {
    cancel();
    // A request that cannot be handled ends the process, and the gateway starts another one.
    last = last.then(() => process.handle(request)).catch(() => Deno.exit(1));
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
