/** A gateway of its own on systems of many kinds: the engine that it takes, what it says of it, and that code runs. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Json } from "../mocks/published.ts";
import { freePort } from "../support/free_port.ts";
import { until } from "../support/until.ts";
import { startIn, systems } from "./systems.ts";

const API_KEY = "choice-api-key-of-at-least-32-characters";
const MANAGEMENT_KEY = "choice-management-key-of-at-least-32-chars";
/** Where the gateway has its data folder, and one user who may write it in every system. */
const DATA = "/srv/data";

/** Systems with a user of their own, or on which sandboxes cannot be had. */
const tried = [
  "as root",
  "as an ordinary user",
  "without bubblewrap",
  "with user namespaces off",
  "where programs may make no namespaces",
] as const;

interface RunningGateway {
  readonly url: string;
  readonly log: () => string;
}

/** Runs a gateway on a system until the work is done. */
async function withGateway(name: string, work: (gateway: RunningGateway) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  if (name === "as an ordinary user") await Deno.chown(folder, 65_534, 65_534);
  const port = freePort();
  const child = await startIn(systems[name] ?? assert.fail(name), {
    file: "main.ts",
    stderr: "piped",
    folders: { [folder]: DATA },
    env: {
      ...keeperEnvironment(),
      TOLLGATE_DATA: DATA,
      TOLLGATE_API_KEY: API_KEY,
      TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY,
      TOLLGATE_LOCAL: "on",
      LOG_FORMAT: "json",
      PORT: String(port),
    },
  });
  let log = "";
  const keep = async (stream: ReadableStream<Uint8Array>) => {
    for await (const bytes of stream) log += decoder.decode(bytes);
  };
  const read = [keep(child.stdout), keep(child.stderr)];
  const url = `http://127.0.0.1:${port}`;
  try {
    await until(
      () => fetch(`${url}/readyz`).then(async (reply) => (await reply.body?.cancel(), reply.ok), () => false),
      {
        what: `the start of a gateway ${name}`,
      },
    );
    await work({ url, log: () => log });
  } finally {
    child.kill("SIGTERM");
    await Promise.all([child.status, ...read, child.stdin.abort()]);
    await Deno.remove(folder, { recursive: true });
  }
}

const decoder = new TextDecoder();

async function get({ url }: RunningGateway, path: string): Promise<Json> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${MANAGEMENT_KEY}` } });
  return asObject(asObject(await response.json()).data);
}

/** Lets the model call a tool; returns what the client sees of the call. */
async function call({ url }: RunningGateway, { tool, args }: { tool: Json; args: Json }): Promise<string> {
  const name = tool.type === "code_interpreter" ? "code_interpreter" : "bash";
  const response = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: `Use the ${name} tool with: ${JSON.stringify(args)}`,
      tools: [tool],
      include: ["code_interpreter_call.outputs"],
      session_id: "one",
    }),
  });
  return JSON.stringify(asList(asObject(await response.json()).output)[0]);
}

/** The row of the doctor about containers. */
async function doctorRow({ url }: RunningGateway): Promise<string> {
  const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", main, "doctor", "--json", "--url", url],
    env: { TOLLGATE_MANAGEMENT_KEY: MANAGEMENT_KEY, TOLLGATE_DATA: "/nonexistent" },
  }).output();
  assert.ok(stdout.length > 0, decoder.decode(stderr));
  const checks = asList(asObject(JSON.parse(decoder.decode(stdout))).checks).map(asObject);
  return JSON.stringify(checks.find(({ check }) => check === "containers"));
}

async function tryIn(name: string): Promise<void> {
  await withGateway(name, async (gateway) => {
    const { says } = systems[name] ?? {};
    const engine = says === undefined ? "bubblewrap" : "virtual";
    const args = { command: "echo $((6 * 7)) > f; cat f", timeout_ms: 300_000 };
    assert.match(
      await call(gateway, { tool: { type: "service:bash", engine: "container" }, args }),
      /"42\\n"/,
    );
    const tool = { type: "code_interpreter", container: { type: "auto" } };
    assert.match(await call(gateway, { tool, args: { code: "print(open('f').read())" } }), /"logs":"42\\n/);
    const sandbox = asObject((await get(gateway, "/v1/status")).sandbox);
    assert.equal(sandbox.engine, engine);
    if (says === undefined) assert.equal(sandbox.engine_reason, null);
    else assert.match(String(sandbox.engine_reason), says);
    assert.match(gateway.log(), new RegExp(`Containers run in the engine ${engine}`));
    assert.match(await doctorRow(gateway), new RegExp(`engine ${engine}`));
  });
}

if (hasBubblewrap() && Deno.uid() === 0) {
  for (const name of tried) {
    Deno.test(`a gateway runs commands and cells, and says in which engine and why: ${name}`, () =>
      tryIn(name));
  }
}
