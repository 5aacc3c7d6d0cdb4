/** Runs the commands, requests and programs of README.md and docs/ against a gateway that README's command starts. */

import assert from "node:assert/strict";
import * as z from "zod";
import { noVoices } from "../support/embedded.ts";
import { type Env, expandTask, root, wordsOf } from "../support/task.ts";
import { filesBelow } from "./architecture.ts";
import { allPages, anchorsOf, type CodeBlock, codeBlocks, commandsOf, pages } from "./commands.ts";
import { readJsonBlock } from "./json_blocks.ts";
import { firstKeysOf } from "../support/first_keys.ts";
import { freePort } from "../support/free_port.ts";

/** `name=@file`, with a small text instead of the file. */
function formOf(field: string): FormData {
  const [name = "", path = ""] = field.split("=@");
  const form = new FormData();
  form.set(name, new File(["city,visitors\nBonn,12\n"], path));
  return form;
}

/** A curl command as the request that it makes. */
function requestOf(curl: string): Request {
  const words = wordsOf(curl.replace(/ > \S+$/, ""));
  const after = (option: string) => words.flatMap((word, at) => word === option ? [words[at + 1] ?? ""] : []);
  const headers = after("-H").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const url = words.find((word) => word.startsWith("http")) ?? "";
  const [form] = after("-F").map(formOf);
  const [body = form] = after("-d");
  const [method = body === undefined ? "GET" : "POST"] = after("-X");
  return new Request(url, { method, headers, body });
}

interface Started {
  readonly port: number;
  readonly folder: string;
  readonly apiKey: string;
  readonly managementKey: string;
}

type ArgsOf = (env: Env) => Promise<readonly string[]>;

/** The arguments of `deno` in a command of our documents, on another folder. */
const documented = (command: string): ArgsOf => ({ TOLLGATE_DATA: folder = "" }) => {
  const [deno, ...args] = wordsOf(command);
  assert.equal(deno, "deno");
  return Promise.resolve(args.map((word) => word.replace(/^(--allow-(?:read|write))=data$/, `$1=${folder}`)));
};

interface WithGateway {
  readonly use: (started: Started) => Promise<void>;
  readonly settings?: Env;
}

/** Runs a start command on a free port and an empty folder, and stops it as an operator would. */
async function withGateway(argsOf: ArgsOf, { use, settings = {} }: WithGateway): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-start-" });
  const port = freePort();
  const env = {
    PORT: `${port}`,
    TOLLGATE_DATA: folder,
    LOG_LEVEL: "error",
    TOLLGATE_FAULT_LAB: "on",
    ...settings,
  };
  const child = new Deno.Command(Deno.execPath(), {
    args: [...await argsOf(env)],
    cwd: root,
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Try it")) {
    const { value, done } = await output.read();
    if (done) break;
    text += value;
  }
  try {
    const { apiKey, managementKey } = await firstKeysOf(text);
    await use({ port, folder, apiKey, managementKey });
  } finally {
    child.kill("SIGINT");
    while (!(await output.read()).done) { /* the rest of the banner */ }
    assert.equal((await child.status).code, 0);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a program of the documents as a file of its own, with the clients of the tests' import map. */
async function runProgram(program: string, { apiKey, port }: Started): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, program.replaceAll("8787", `${port}`));
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--allow-env",
      "--allow-net",
      "--allow-read",
      "--config",
      "tests/deno.json",
      file,
    ],
    cwd: root,
    env: { API_KEY: apiKey },
  }).output();
  await Deno.remove(file);
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return text.decode(stdout);
}

const record = z.object({ data: z.object({ hash: z.string().default(""), id: z.string().default("") }) });

/** The record that a new one of a list has, with the id or hash by which commands name it. */
async function created(
  { port, managementKey }: Started,
  { path, body }: { readonly path: string; readonly body: Readonly<Record<string, unknown>> },
) {
  const reply = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return record.parse(await reply.json()).data;
}

/** The hash of a new key, for commands that change or delete one. */
const newHash = async (started: Started, path: string): Promise<string> =>
  (await created(started, { path, body: { name: "of a document" } })).hash;

const providerKey = { provider: "openai", key: "sk-of-a-test-0123456789" };

/** The id of a new provider key of the workspace. */
const newProviderKeyId = async (started: Started): Promise<string> =>
  (await created(started, { path: "/byok", body: providerKey })).id;

const workspace = z.object({ data: z.object({ default_guardrail_id: z.string() }) });

/** The id of the default workspace's guardrail. */
async function guardrailId({ port, managementKey }: Started): Promise<string> {
  const headers = { authorization: `Bearer ${managementKey}` };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/workspaces/default`, { headers });
  return workspace.parse(await reply.json()).data.default_guardrail_id;
}

const uploaded = z.object({ id: z.string() });

/** The id of a new file, for commands that use one. */
async function newFileId({ port, apiKey }: Started): Promise<string> {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: formOf("file=@report.csv"),
  });
  return uploaded.parse(await reply.json()).id;
}

const bashed = z.object({
  output: z.array(z.looseObject({
    container_id: z.string().optional(),
    files: z.array(z.object({ file_id: z.string() })).optional(),
  })),
});

/** A file that a command has made in a container: its ids, for commands that download one. */
async function newContainerFile({ port, apiKey }: Started) {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "local/echo",
      input: 'Use the bash tool with: {"command": "echo hello > notes.txt"}',
      tools: [{ type: "service:bash", engine: "container" }],
    }),
  });
  const { output } = bashed.parse(await reply.json());
  const item = output.find(({ container_id }) => container_id !== undefined);
  return { container: item?.container_id ?? "", file: item?.files?.[0]?.file_id ?? "" };
}

/** Variables of the documents' commands, each with how its value is had. */
const variables: Readonly<Record<string, (started: Started) => string | Promise<string>>> = {
  $API_KEY: ({ apiKey }) => apiKey,
  $MANAGEMENT_KEY: ({ managementKey }) => managementKey,
  $KEY_HASH: (started) => newHash(started, "/keys"),
  $OLD_HASH: (started) => newHash(started, "/management-keys"),
  $BYOK_ID: newProviderKeyId,
  $NEW_PROVIDER_KEY: () => "sk-of-a-test-9876543210",
  $FILE_ID: newFileId,
  $GUARDRAIL_ID: guardrailId,
};

/** The command with this gateway's address, keys and records. */
async function filledIn(command: string, started: Started): Promise<string> {
  const made = command.includes("$CONTAINER_ID")
    ? await newContainerFile(started)
    : { container: "", file: "" };
  let filled = command.replaceAll("8787", `${started.port}`)
    .replaceAll("$CONTAINER_ID", made.container).replaceAll("$CONTAINER_FILE_ID", made.file)
    .replaceAll("backup.sqlite3", `${started.folder}/backup.sqlite3`);
  for (const [name, valueOf] of Object.entries(variables)) {
    if (filled.includes(name)) filled = filled.replaceAll(name, await valueOf(started));
  }
  return filled;
}

async function runCurl(command: string, place: string): Promise<void> {
  const reply = await fetch(requestOf(command));
  if (reply.headers.get("content-type")?.startsWith("audio/")) {
    assert.ok((await reply.bytes()).length > 1_000, place);
    return;
  }
  const text = await reply.text();
  assert.ok(reply.ok, `${place}: ${reply.status} ${text}`);
  if (!text.startsWith("data: ")) return;
  assert.match(text, /^data: \{"type":"response.completed"/m, place);
  assert.ok(text.endsWith("data: [DONE]\n\n"), place);
}

/** `deno task NAME ARGS…` on the running gateway and its folder. */
async function runTask(command: string, started: Started): Promise<void> {
  const [, , name = "", ...args] = wordsOf(command);
  const env = {
    PORT: `${started.port}`,
    TOLLGATE_DATA: started.folder,
    TOLLGATE_MANAGEMENT_KEY: started.managementKey,
    LOG_LEVEL: "error",
  };
  const program = await expandTask(name, env);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...program.args, ...args],
    cwd: root,
    env: program.env,
  }).output();
  const text = new TextDecoder();
  assert.ok(success, `${command}: ${text.decode(stdout)}${text.decode(stderr)}`);
}

/** `NAME=value deno task start`: it starts, and prints its keys. Of a key the documents show the beginning. */
async function runStart(command: string): Promise<void> {
  const words = wordsOf(command.replaceAll("…", "0123456789"));
  const own = words.slice(0, words.indexOf("deno")).map((word) => word.split("=", 2));
  const settings: Env = Object.fromEntries(own);
  await withGateway(async (env) => (await expandTask("start", { ...env, ...settings })).args, {
    settings,
    use: () => Promise.resolve(),
  });
}

async function runCommand(
  command: string,
  { place, started }: { readonly place: string; readonly started: Started },
) {
  if (/deno task start$/.test(command)) return await runStart(command);
  if (command.includes("local/voice") && noVoices) return;
  const filled = await filledIn(command, started);
  if (filled.startsWith("curl ")) return await runCurl(filled, place);
  assert.match(filled, /^deno task /, `${place}: nobody knows how to run ${command}`);
  await runTask(filled, started);
}

async function runBlock(block: CodeBlock, started: Started): Promise<void> {
  const place = `${block.file}:${block.line}`;
  if (block.language === "json") return readJsonBlock(JSON.parse(block.text), place);
  if (block.language === "ts") return assert.match(await runProgram(block.text, started), /hello/i, place);
  assert.equal(block.language, "sh", `${place}: nobody knows how to run ${block.language}`);
  for (const command of commandsOf(block)) await runCommand(command, { place, started });
}

/** A configuration file with what the documents' commands need. */
async function documentedConfig(): Promise<string> {
  const [moderation, ...others] = (await codeBlocks("docs/plugins.md")).filter(({ text }) =>
    text.startsWith('{ "moderation"')
  );
  assert.ok(moderation !== undefined && others.length === 0);
  const path = `${await Deno.makeTempDir({ prefix: "tollgate-docs-" })}/tollgate.jsonc`;
  const file = {
    ...z.looseObject({}).parse(JSON.parse(moderation.text)),
    fetch: { allowed_hosts: ["127.0.0.1:9000"] },
  };
  await Deno.writeTextFile(path, JSON.stringify(file));
  return path;
}

interface NotRun {
  readonly name: string;
  /** Paths of the tests' files. */
  readonly tests: readonly string[];
}

/** A block that is not run says why, and tests that it names are there. */
function assertReason(reason: string, { name, tests }: NotRun): void {
  assert.ok(reason.length > 10, `${name} says why it is not run`);
  for (const [file] of reason.matchAll(/[\w/]+_test\.ts/g)) {
    assert.ok(tests.some((path) => path.endsWith(`/${file}`)), `${name}: there is no ${file}`);
  }
}

Deno.test("every command, request and program of README.md and docs/ works", async (t) => {
  const start = async (env: Env) => (await expandTask("start", env)).args;
  const tests = [...await filesBelow(root, "tests/"), ...await filesBelow(root, "server/")].map((file) =>
    `/${file}`
  );
  await withGateway(start, {
    settings: { TOLLGATE_CONFIG: await documentedConfig() },
    use: async (started) => {
      for (const file of await pages()) {
        for (const block of await codeBlocks(file)) {
          const { line, language, notRun } = block;
          const name = `${file}:${line} (${language})`;
          if (notRun === undefined) await t.step(name, () => runBlock(block, started));
          else assertReason(notRun, { name, tests });
        }
      }
    },
  });
});

Deno.test("SECURITY's narrowed command serves the same", async () => {
  const [block] = (await codeBlocks("SECURITY.md")).filter(({ text }) => text.startsWith("deno run"));
  const [curl] = (await codeBlocks("README.md")).filter(({ text }) => text.startsWith("curl"));
  assert.ok(block !== undefined && curl !== undefined);
  await withGateway(documented(block.text), { use: (started) => runBlock(curl, started) });
});

Deno.test("links between pages name headings that exist", async () => {
  for (const file of [...await allPages(), "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]) {
    const page = await Deno.readTextFile(new URL(file, root));
    for (const [, path = "", anchor = ""] of page.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
      const target = path === "" ? page : await Deno.readTextFile(new URL(path, new URL(file, root)));
      assert.ok(anchorsOf(target).has(anchor), `${file} links to ${path}#${anchor}`);
    }
  }
});
