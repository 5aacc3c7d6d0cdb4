/**
 * Runs the commands of one container, and ends with it. Its only rights are to read the packages that it is made of;
 * what runs in it may take it over, which gains nothing.
 */

import "./remove_globals.ts";
import "./conceal_host.ts";
import process from "node:process";
import { createClock } from "../../runtime.ts";
import { CommandTime } from "./command_time.ts";
import { ContainerServer } from "./container_server.ts";
import { FileTree } from "./files/file_tree.ts";
import { collectLater, collectNow } from "./garbage.ts";
import { GatewayChannel, type GatewayRequest } from "./gateway_channel.ts";
import { MemoryRoom } from "./memory_room.ts";

const MIB = 1024 * 1024;
/** A process without a request for so long has time: before its first one it is a spare one. */
const IDLE_MS = 50;
/** Entries besides those of the home folder: the shell's own, and temporary ones. */
const MAX_NODES = 20_000;

/** Libraries print here what is for nobody, and the pipe is the gateway's. */
function silenceConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error", "trace"] as const) console[name] = () => {};
}

/**
 * A program of Python may leave timers and promises in JavaScript, whose errors come when it has ended: they end no
 * other command with this process. Nothing of our own is left to itself.
 */
function forgetStrayErrors(): void {
  for (const type of ["error", "unhandledrejection"] as const) {
    addEventListener(type, (event) => event.preventDefault());
  }
}

/**
 * Handles one request after the other. The next one may be here before it is known that the last reply was written;
 * answers to calls are read meanwhile.
 */
async function serve(channel: GatewayChannel, container: ContainerServer): Promise<void> {
  let last = Promise.resolve();
  let open = 0;
  let cancel = clock.after(IDLE_MS, () => void container.warmUp());
  const handle = async (request: GatewayRequest) => {
    await container.handle(request);
    open--;
    if (open === 0) cancel = clock.after(IDLE_MS, () => void container.rest());
  };
  for await (const request of channel.requests()) {
    cancel();
    open++;
    // A request that cannot be handled ends the process, and the gateway starts another one.
    last = last.then(() => handle(request)).catch(() => Deno.exit(1));
  }
  await last;
  cancel();
}

/** Milliseconds of the processor. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

silenceConsole();
forgetStrayErrors();
const [memoryMib = "512"] = Deno.args;
const channel = new GatewayChannel();
const clock = createClock();
const limitBytes = Number(memoryMib) * MIB;
const residentBytes = () => process.memoryUsage.rss();
const room = new MemoryRoom({ limitBytes, residentBytes, collectNow, collectLater });
room.boundWebAssembly();
const tree = new FileTree({ maxBytes: limitBytes / 2, maxNodes: MAX_NODES, room, now: clock.now });
const time = new CommandTime({ cpuMs, monotonic: clock.monotonic });
const container = new ContainerServer({ channel, tree, time, clock, room });
await channel.ready();
await serve(channel, container);
