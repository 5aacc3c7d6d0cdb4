/** What a newcomer does first, taken from the documents: the start command, the curl, the client programs. */

import assert from "node:assert/strict";
import { type Env, expandTask, root, wordsOf } from "../support/task.ts";

const read = (file: string) => Deno.readTextFileSync(new URL(file, root));

/** The code block of a document that begins with the given text. */
function blockOf(file: string, beginning: string): string {
  const blocks = [...read(file).matchAll(/^```\w+\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const found = blocks.find((block) => block.startsWith(beginning));
  assert.ok(found !== undefined, `${file} has no block that begins with ${beginning}`);
  return found;
}

/** A curl command as the request that it makes. */
function requestOf(curl: string, { key, port }: { readonly key: string; readonly port: number }): Request {
  const words = wordsOf(curl.replaceAll("$API_KEY", key).replaceAll("8787", `${port}`));
  const after = (option: string) => words.flatMap((word, at) => word === option ? [words[at + 1] ?? ""] : []);
  const headers = after("-H").map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const url = words.find((word) => word.startsWith("http")) ?? "";
  return new Request(url, { method: "POST", headers, body: after("-d")[0] });
}

interface Started {
  readonly port: number;
  readonly key: string;
}

type ArgsOf = (env: Env) => Promise<readonly string[]>;

/** The arguments of `deno` in a command of our documents, on another folder. */
const documented = (command: string): ArgsOf => ({ TOLLGATE_DATA: folder = "" }) => {
  const [deno, ...args] = wordsOf(command);
  assert.equal(deno, "deno");
  return Promise.resolve(args.map((word) => word.replace(/^(--allow-(?:read|write))=data$/, `$1=${folder}`)));
};

/** Runs a start command on a free port and an empty folder, and stops it as an operator would. */
async function withGateway(argsOf: ArgsOf, use: (started: Started) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate-start-" });
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const env = { PORT: `${port}`, TOLLGATE_DATA: folder, LOG_LEVEL: "error" };
  const child = new Deno.Command(Deno.execPath(), {
    args: [...await argsOf(env)],
    cwd: root,
    env,
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("Try it:")) {
    const { value, done } = await output.read();
    if (done) break;
    text += value;
  }
  try {
    const key = /^API key: (.*)$/m.exec(text)?.[1];
    assert.ok(key !== undefined, `no key was printed: ${text}`);
    await use({ port, key });
  } finally {
    child.kill("SIGINT");
    while (!(await output.read()).done) { /* the rest of the banner */ }
    assert.equal((await child.status).code, 0);
    await Deno.remove(folder, { recursive: true });
  }
}

async function streamsAnAnswer(started: Started): Promise<void> {
  const answer = await fetch(requestOf(blockOf("README.md", "curl"), started));
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.match(text, /^data: \{"type":"response.completed"/m);
  assert.ok(text.endsWith("data: [DONE]\n\n"));
}

/** Runs a program of the documents as a file of its own, with the clients of the tests' import map. */
async function runProgram(program: string, { key, port }: Started): Promise<string> {
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
    env: { API_KEY: key },
  }).output();
  await Deno.remove(file);
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return text.decode(stdout);
}

Deno.test("README's curl and its client programs work on what its start command starts", async () => {
  await withGateway(async (env) => (await expandTask("start", env)).args, async (started) => {
    await streamsAnAnswer(started);
    for (const client of ["import OpenAI", "import Anthropic", "import { OpenRouter }"]) {
      assert.match(await runProgram(blockOf("README.md", client), started), /hello/i);
    }
  });
});

Deno.test("SECURITY's narrowed command serves the same", async () => {
  await withGateway(documented(blockOf("SECURITY.md", "deno run")), streamsAnAnswer);
});
