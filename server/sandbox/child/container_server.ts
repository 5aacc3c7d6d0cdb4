/** Serves the gateway's requests, one after the other. */

import type * as z from "zod";
import type { Clock } from "../../runtime.ts";
import { cutMiddleBytes } from "../../../shared/util/text.ts";
import { commandSchema, endedSchema, HOME, MAX_OUTPUT_BYTES } from "../messages.ts";
import { encodePack } from "../pack.ts";
import type { CommandTime } from "./command_time.ts";
import { ContainerFiles } from "./container_files.ts";
import { FileError } from "./files/file_error.ts";
import type { FileTree } from "./files/file_tree.ts";
import { GatewayCalls } from "./gateway_calls.ts";
import type { GatewayChannel, GatewayRequest } from "./gateway_channel.ts";
import type { MemoryRoom } from "./memory_room.ts";
import { PrintedOutput } from "./printed_output.ts";
import { createPython, type Python } from "./python/python.ts";
import { Shell, type ShellResult } from "./shell/shell.ts";

interface ContainerServerOptions {
  readonly channel: GatewayChannel;
  readonly tree: FileTree;
  readonly time: CommandTime;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly room: MemoryRoom;
}

type Command = z.output<typeof commandSchema>;
type Ended = z.output<typeof endedSchema>;

interface CommandEnd extends ShellResult {
  readonly isNewInterpreter: boolean;
}

/** Commands that most scripts begin with. */
const WARM_UP = "echo hi | cat; ls >/dev/null; [ -f x ] || true; for i in 1 2; do :; done";
const encoder = new TextEncoder();
/** UTF-8. */
const encodeOutput = (text: string): Uint8Array => encoder.encode(cutMiddleBytes(text, MAX_OUTPUT_BYTES));

/** Exit code that a shell gives for a program that a time limit has ended. */
const TIMED_OUT = 124;

export class ContainerServer {
  readonly #options: ContainerServerOptions;
  readonly #files: ContainerFiles;
  readonly #python: Python;
  readonly #shell: Shell;
  readonly #calls: GatewayCalls;
  /** Until it ends no command begins. */
  #idleWork: Promise<void> = Promise.resolve();
  /** Number of idle works that have not ended. */
  #idleWorks = 0;
  /** That of the command that runs. */
  #request = 0;
  #printed: PrintedOutput | undefined;

  constructor(options: ContainerServerOptions) {
    const { channel, tree, time, room, clock } = options;
    this.#options = options;
    this.#files = new ContainerFiles(tree);
    this.#calls = new GatewayCalls((name, value) => channel.call(this.#request, { name, value }));
    const { requestPackages } = this.#calls;
    this.#python = createPython({
      tree,
      time,
      room,
      clock,
      requestPackages,
      uncounted: (start) => channel.uncounted(() => time.uncounted(start)),
      onNoStartMemory: () => channel.wantStartMemory(),
    });
    this.#shell = new Shell({
      ...options,
      python: this.#python,
      onPrinted: (one) => this.#printed?.add(one),
      onBeforePython: () => this.#printed?.tell(),
      onWritten: (name, bytes) => this.#printed?.write(name, bytes),
    });
  }

  async handle({ type, request, pack }: GatewayRequest): Promise<void> {
    const { channel } = this.#options;
    switch (type) {
      case "load":
        return await channel.reply({ type: await this.#load(pack), request });
      case "read":
        return await channel.reply({ type: "content", request }, this.#files.read(pack));
      case "run":
        return await this.#run(request, commandSchema.parse(pack.value));
      default:
        return type satisfies never;
    }
  }

  /** A container that was made with more memory may be larger than this process can be. */
  async #load(pack: GatewayRequest["pack"]): Promise<"loaded" | "full"> {
    await this.#options.room.make(pack.bytes.length);
    try {
      this.#files.load(pack);
      return "loaded";
    } catch (error) {
      if (error instanceof FileError && error.code === "ENOSPC") return "full";
      throw error;
    }
  }

  async #run(request: number, command: Command): Promise<void> {
    const { channel, time, clock: { monotonic } } = this.#options;
    await this.#makeReady();
    this.#request = request;
    this.#printed = new PrintedOutput({ monotonic, send: (pack) => channel.printed(request, pack) });
    time.begin(command.timeMs);
    const { isNewInterpreter, ...result } = await this.#runCommand(command);
    // What is printed from now on is of no command.
    this.#printed = undefined;
    const [stdout, stderr] = [encodeOutput(result.stdout), encodeOutput(result.stderr)];
    const { workingFolder, environment } = result;
    const isTimedOut = time.isReached;
    const ended: Ended = {
      exitCode: isTimedOut ? TIMED_OUT : result.exitCode,
      isTimedOut,
      stdout: stdout.length,
      stderr: stderr.length,
      workingFolder,
      environment: [...environment].map(([name, value]) => [name, value]),
      ...this.#files.takeChanges(),
      isNewInterpreter,
    };
    await channel.reply({ type: "ended", request }, encodePack(ended, [stdout, stderr]));
  }

  /** Ends the work of before, which does not count in the next command's time. */
  async #makeReady(): Promise<void> {
    const { channel, room } = this.#options;
    if (this.#idleWorks === 0 && room.isTidy) return;
    await channel.uncounted(async () => {
      await this.#idleWork;
      await room.tidy();
    });
  }

  /** One after the other. Work that failed is done, and told of, by the command that needs it. */
  async #workIdly(work: () => Promise<unknown>): Promise<void> {
    this.#idleWorks++;
    const end = () => {
      this.#idleWorks--;
    };
    this.#idleWork = this.#idleWork.then(work).then(end, end);
    await this.#idleWork;
  }

  async #runCommand({ language, network, ...command }: Command): Promise<CommandEnd> {
    if (language === "python") return await this.#callPython(command);
    await this.#python.leaveRoom();
    const fetch = network ? this.#calls.fetch : undefined;
    return { ...await this.#shell.run({ ...command, fetch }), isNewInterpreter: false };
  }

  /** For a process that waits for its container: its first command finds code that has run before. */
  async warmUp(): Promise<void> {
    const command = { code: WARM_UP, workingFolder: HOME, environment: [], fetch: undefined };
    await this.#workIdly(() => this.#shell.run(command));
  }

  /** Between commands. */
  async rest(): Promise<void> {
    await this.#workIdly(() => this.#python.rest());
  }

  async #callPython(
    { code, workingFolder, environment }: Pick<Command, "code" | "workingFolder" | "environment">,
  ): Promise<CommandEnd> {
    const { exitCode, stdout, stderr, isNew } = await this.#python.call({
      code,
      cwd: workingFolder,
      env: environment,
      onWritten: (name, bytes) => this.#printed?.write(name, bytes),
    });
    const decoder = new TextDecoder();
    return {
      exitCode: exitCode & 255,
      stdout: decoder.decode(stdout),
      stderr: decoder.decode(stderr),
      workingFolder,
      environment,
      isNewInterpreter: isNew,
    };
  }
}
