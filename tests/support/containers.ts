/** A gateway whose models run commands in real containers, on local/echo. */

import assert from "node:assert/strict";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { SandboxFolders } from "../../server/sandbox/bubblewrap/sandbox_folders.ts";
import type { EngineName } from "../../server/sandbox/sandbox.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { asList, asObject } from "./event_stream.ts";
import { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
import type { Json } from "../mocks/published.ts";
import { linesLogger } from "./reader.ts";
import { engines } from "./sandbox.ts";
import { tickingClock } from "./ticking_clock.ts";

export interface ContainerRig extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly keeper: Keeper;
  /** Lets the model call the tool `bash` once, and returns the item of that call. */
  readonly bash: (args: Json, options?: BashOptions) => Promise<BashItem>;
}

export interface BashOptions {
  readonly session?: string;
  readonly apiKey?: string;
  /** Settings of the tool. */
  readonly settings?: Json;
  readonly signal?: AbortSignal;
}

/** The item that a client sees of a call. */
export interface BashItem {
  readonly status: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: unknown;
  readonly containerId: string;
  readonly error: string | undefined;
  /** Output that the model read. */
  readonly output: Json;
  readonly files: readonly { readonly fileId: string; readonly filename: string }[];
}

/** The engine that every machine has. */
const defaults = { TOLLGATE_LOCAL: "on", TOLLGATE_SANDBOX: "virtual" } as const;

export interface ContainerRigOptions extends GatewayOptions {
  /** Folders of the settings. */
  readonly folders?: SandboxFolders;
}

export async function containerRig({ folders, ...options }: ContainerRigOptions = {}): Promise<ContainerRig> {
  const log = linesLogger([]);
  const keeper = startKeeper({ clock: tickingClock(), log, env: keeperEnvironment(), folders });
  const gateway = await startGateway({ ...options, env: { ...defaults, ...options.env }, keeper });
  return {
    gateway,
    keeper,
    bash: (args, given = {}) => bashIn(gateway, { args, ...given }),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await keeper.close();
    },
  };
}

/** Starts a gateway of the engine under test. */
export type OpenRig = typeof containerRig;

/** Registers a test for each engine that can be tested here, with what starts a gateway of that engine. */
export function testEngines(
  name: string,
  run: (openRig: OpenRig, engine: EngineName) => Promise<void>,
): void {
  for (const engine of engines) {
    Deno.test(
      `${name} (${engine})`,
      () =>
        run(
          (options = {}) => containerRig({ ...options, env: { ...options.env, TOLLGATE_SANDBOX: engine } }),
          engine,
        ),
    );
  }
}

/** Milliseconds that a command may take where the test says nothing: the most, because machines may be busy. */
const PATIENT_MS = 300_000;

/** Lets the model call `bash`, and returns the item of that call. */
export async function bashIn(
  gateway: CalledGateway,
  { args, ...input }: RespondInput,
): Promise<BashItem> {
  const { body, status } = await respond(gateway, { ...input, args: { timeout_ms: PATIENT_MS, ...args } });
  assert.equal(status, 200, JSON.stringify(body));
  const items = asList(body.output).map(asObject).filter(({ type }) => type === "service:bash");
  assert.equal(items.length, 1, JSON.stringify(body));
  return toItem(items[0] ?? {});
}

/** The part of a gateway by which its models are called. */
type CalledGateway = Pick<Gateway, "url" | "apiKey">;

export interface RespondInput extends BashOptions {
  readonly args: Json;
}

/** One request whose model calls `bash`. */
export async function respond(
  { url, apiKey }: CalledGateway,
  { args, session, apiKey: other, settings = {}, signal }: RespondInput,
): Promise<{ readonly status: number; readonly body: Json }> {
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${other ?? apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the bash tool with: ${JSON.stringify(args)}`,
      tools: [{ type: "service:bash", engine: "container", ...settings }],
      ...(session === undefined ? {} : { session_id: session }),
    }),
    signal,
  });
  return { status: response.status, body: asObject(await response.json()) };
}

function toItem(item: Json): BashItem {
  const text = (value: unknown) => typeof value === "string" ? value : "";
  return {
    status: text(item.status),
    stdout: text(item.stdout),
    stderr: text(item.stderr),
    exitCode: item.exitCode,
    containerId: text(item.container_id),
    error: typeof item.error === "string" ? item.error : undefined,
    output: asObject(JSON.parse(text(item.output) || "{}")),
    files: asList(item.files ?? []).map(asObject).map(({ file_id, filename }) => ({
      fileId: text(file_id),
      filename: text(filename),
    })),
  };
}

export interface ContainerCall {
  readonly method?: string;
  /** Below `/v1/containers`. */
  readonly path: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function containerCall({ url }: Gateway, { method = "GET", path, token, headers }: ContainerCall) {
  return fetch(`${url}/v1/containers${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
}

/** Lets the model of the session `s` call `apply_patch`, and returns what its item says. */
export async function patch({ gateway }: Pick<ContainerRig, "gateway">, args: Json): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the apply_patch tool with: ${JSON.stringify(args)}`,
      tools: [{ type: "service:apply_patch", engine: "container" }],
      session_id: "s",
    }),
  });
  const [item] = asList(asObject(await response.json()).output).map(asObject);
  return `${item?.status} ${item?.output ?? ""}`;
}

/** Lets the model call `code_interpreter` once in the session "day"; returns its item, and what the model read of it. */
export async function interpret(
  { gateway }: Pick<ContainerRig, "gateway">,
  code: string,
): Promise<{ readonly item: Json; readonly read: string }> {
  const response = await fetch(`${gateway.url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the code_interpreter tool with: ${JSON.stringify({ code })}`,
      tools: [{ type: "code_interpreter", container: { type: "auto" } }],
      include: ["code_interpreter_call.outputs"],
      session_id: "day",
    }),
  });
  const items = asList(asObject(await response.json()).output).map(asObject);
  const item = items.find(({ type }) => type === "code_interpreter_call") ??
    assert.fail(JSON.stringify(items));
  return { item, read: JSON.stringify(items.at(-1)) };
}

/** Outputs of a call of `code_interpreter`. */
export const outputsOf = (item: Json, type: "logs" | "image"): readonly Json[] =>
  asList(item.outputs).map(asObject).filter((output) => output.type === type);

/** Text that a call of `code_interpreter` printed. */
export const logsOf = (item: Json): string =>
  outputsOf(item, "logs").map(({ logs }) => String(logs)).join("");
