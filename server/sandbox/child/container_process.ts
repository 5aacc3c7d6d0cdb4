/** What the process does for the gateway, one request after the other. */

import type { BashOptions } from "just-bash";
import { commandSchema, fetchAnswerSchema, HOME, packagesAnswerSchema } from "../messages.ts";
import { encodePack, type Pack } from "../pack.ts";
import { ContainerFiles } from "./container_files.ts";
import { cutOutput } from "./cut_output.ts";
import { FileTree } from "./files/file_tree.ts";
import type { GatewayChannel, GatewayRequest } from "./gateway_channel.ts";
import type { Python, PythonWheel } from "./python/python.ts";
import { Shell, type ShellResult } from "./shell.ts";

type Fetch = NonNullable<BashOptions["fetch"]>;

export interface ContainerProcessOptions {
  readonly channel: GatewayChannel;
  readonly tree: FileTree;
  readonly createPython: (requestPackages: PackageRequest) => Python;
}

/** The wheels of what could not be imported. Rejects with a sentence for the model where there are none. */
export type PackageRequest = (modules: readonly string[]) => Promise<readonly PythonWheel[]>;

/** What most commands begin with. */
const WARM_UP = "echo hi | cat; ls >/dev/null; [ -f x ] || true; for i in 1 2; do :; done";

export class ContainerProcess {
  readonly #channel: GatewayChannel;
  readonly #tree: FileTree;
  readonly #files: ContainerFiles;
  readonly #python: Python;
  #shell: Shell | undefined;
  #warmingUp: Promise<void> = Promise.resolve();
  /** With a `curl`. A process has one of the two, but for the one that was warmed up. */
  #openShell: Shell | undefined;

  constructor({ channel, tree, createPython }: ContainerProcessOptions) {
    this.#channel = channel;
    this.#tree = tree;
    this.#files = new ContainerFiles(tree);
    this.#python = createPython((modules) => this.#requestPackages(modules));
  }

  async handle(request: GatewayRequest): Promise<void> {
    const { type, pack } = request;
    switch (type) {
      case "load":
        this.#files.load(pack);
        return await this.#channel.reply({ type: "loaded" });
      case "read":
        return await this.#channel.reply({ type: "content" }, this.#files.read(pack));
      case "run":
        return await this.#run(pack);
      default:
        return type satisfies never;
    }
  }

  async #run({ value }: Pack): Promise<void> {
    const { language, network, ...command } = commandSchema.parse(value);
    await this.#warmingUp;
    const result = language === "bash"
      ? await this.#shellFor(network).run(command)
      : await this.#runPython(command);
    const [stdout, stderr] = [cutOutput(result.stdout), cutOutput(result.stderr)];
    const { exitCode, workingFolder, environment } = result;
    const ended = {
      exitCode,
      stdout: stdout.length,
      stderr: stderr.length,
      workingFolder,
      environment,
      ...this.#files.takeChanges(),
    };
    await this.#channel.reply({ type: "ended" }, encodePack(ended, [stdout, stderr]));
  }

  #shellFor(network: boolean): Shell {
    if (network) {
      return this.#openShell ??= new Shell({
        ...this.#parts,
        fetch: (url, options) => this.#fetch(url, options),
      });
    }
    return this.#shell ??= new Shell({ ...this.#parts, fetch: undefined });
  }

  get #parts() {
    return { tree: this.#tree, python: this.#python };
  }

  /** For a process that waits for its container: its first command finds code that has run before. */
  async warmUp(): Promise<void> {
    const running = this.#shellFor(false).run({ code: WARM_UP, workingFolder: HOME, environment: [] });
    this.#warmingUp = running.then(() => {});
    await running;
  }

  async #runPython(
    { code, workingFolder, environment }: Pick<ShellResult, "workingFolder" | "environment"> & {
      readonly code: string;
    },
  ): Promise<ShellResult> {
    const { exitCode, stdout, stderr } = await this.#python.run({
      args: ["-c", code],
      stdin: new Uint8Array(0),
      cwd: workingFolder,
      env: Object.fromEntries(environment),
    });
    const decoder = new TextDecoder();
    return {
      exitCode: exitCode & 255,
      stdout: decoder.decode(stdout),
      stderr: decoder.decode(stderr),
      workingFolder,
      environment,
    };
  }

  async #fetch(url: string, options: Parameters<Fetch>[1]): ReturnType<Fetch> {
    const { value, bytes } = await this.#channel.call("fetch", { url, method: options?.method ?? "GET" });
    const answer = fetchAnswerSchema.parse(value);
    if (answer.type === "failed") throw new Error(answer.message);
    const { status, headers } = answer;
    return { status, statusText: "", headers, body: bytes.slice(), url: answer.url };
  }

  async #requestPackages(modules: readonly string[]): Promise<readonly PythonWheel[]> {
    const { value } = await this.#channel.call("packages", { modules });
    const { wheels, message } = packagesAnswerSchema.parse(value);
    if (message !== undefined) throw new Error(message);
    const fetched: PythonWheel[] = [];
    for (const { filename, size } of wheels) {
      fetched.push({ filename, content: await this.#readWheel(filename, size) });
    }
    return fetched;
  }

  async #readWheel(filename: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
    const content = new Uint8Array(size);
    for (let offset = 0; offset < size;) {
      const { bytes } = await this.#channel.call("wheel", { filename, offset });
      content.set(bytes, offset);
      offset += bytes.length;
    }
    return content;
  }
}
