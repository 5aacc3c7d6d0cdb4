/** `shell`, `code_interpreter` and `apply_patch` on containers, on the three APIs, and what comes back in `input`. */

import assert from "node:assert/strict";
import { containerRig, testEngines } from "../support/containers.ts";
import { framesOf } from "../money/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import type { Json } from "../mocks/published.ts";
import { calls, says, type ToolRig, withTools } from "../server_tools/rig.ts";
import { keeperEnvironment } from "../../server/config/process/keeper_environment.ts";
import type { Keeper } from "../../server/sandbox/keeper/keeper.ts";
import { startKeeper } from "../../server/sandbox/keeper/start_keeper.ts";
import { linesLogger } from "../support/reader.ts";
import { tickingClock } from "../support/ticking_clock.ts";

async function post(
  rig: Pick<ToolRig, "gateway">,
  { path, body }: { readonly path: string; readonly body: Json },
) {
  const { url, apiKey } = rig.gateway;
  const response = await fetch(`${url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = asObject(await response.json());
  assert.equal(response.status, 200, JSON.stringify(answer));
  return answer;
}

const itemsOf = (answer: Json): readonly Json[] => asList(answer.output).map(asObject);

async function withKeeper(test: (keeper: Keeper) => Promise<void>): Promise<void> {
  const keeper = startKeeper({ clock: tickingClock(), log: linesLogger([]), env: keeperEnvironment() });
  try {
    await test(keeper);
  } finally {
    await keeper.close();
  }
}

testEngines("shell shows each command's output, in both spellings", async (openRig) => {
  await using rig = await openRig();
  const input =
    'Use the shell tool with: {"commands": ["echo 1 > a; cat a", "cat gone", "sleep 99"], "timeout_ms": 3000}';
  const own = await post(rig, {
    path: "responses",
    body: { model: "local/echo", input, tools: [{ type: "openrouter:shell" }], session_id: "s" },
  });
  const item = itemsOf(own).find(({ type }) => type === "openrouter:shell") ?? {};
  assert.deepEqual(item.action, {
    commands: ["echo 1 > a; cat a", "cat gone", "sleep 99"],
    timeout_ms: 3000,
    max_output_length: null,
  });
  assert.deepEqual(item.output, [
    { stdout: "1\n", stderr: "", outcome: { type: "exit", exit_code: 0 } },
    { stdout: "", stderr: "cat: gone: No such file or directory\n", outcome: { type: "exit", exit_code: 1 } },
    { stdout: "", stderr: "", outcome: { type: "timeout" } },
  ]);
  assert.deepEqual(asList(item.files).map((file) => asObject(file).filename), ["a"]);
});

Deno.test("OpenAI's shell tool is a call and its output as items of their own, which come back as they were sent", async () => {
  await withKeeper((keeper) =>
    withTools({ keeper }, async (rig) => {
      const tools = [{ type: "shell" }];
      for (const wire of ["chat", "messages", "gemini"] as const) {
        rig.plan((turn) =>
          turn === 0 ? [calls("shell", { args: { commands: ["echo hi > f; ls"] } })] : [says("Done")]
        );
        const body = { model: `mock/${wire}`, input: "List.", tools, session_id: wire };
        const answer = await post(rig, { path: "responses", body });
        const items = itemsOf(answer).filter(({ type }) => type !== "message");
        const [call, output] = items.filter(({ type }) => type !== "reasoning");
        assert.deepEqual([call?.type, output?.type], ["shell_call", "shell_call_output"]);
        assert.equal(call?.call_id, output?.call_id);
        assert.deepEqual(output?.output, [{
          stdout: "f\n",
          stderr: "",
          outcome: { type: "exit", exit_code: 0 },
        }]);
        const before = rig.taken(wire).at(-1);
        rig.plan(() => [says("Again")]);
        await post(rig, {
          path: "responses",
          body: {
            ...body,
            input: [{ role: "user", content: "List." }, ...items],
          },
        });
        const conversation = (sent: Json | undefined) => sent?.messages ?? sent?.contents;
        assert.deepEqual(conversation(rig.taken(wire).at(-1)), conversation(before), wire);
      }
    })
  );
});

/** The code is told before it runs, in events of the item that has opened. */
function assertEvents(events: readonly Json[], code: string): void {
  const own = events.filter(({ type }) => /code_interpreter|output_item/.test(String(type)))
    .filter(({ item }) => item === undefined || asObject(item).type === "code_interpreter_call");
  assert.deepEqual(own.map(({ type }) => String(type).replace(/^response\./, "")), [
    "output_item.added",
    "code_interpreter_call.in_progress",
    "code_interpreter_call_code.delta",
    "code_interpreter_call_code.done",
    "code_interpreter_call.interpreting",
    "code_interpreter_call.completed",
    "output_item.done",
  ]);
  const [added, , delta, done] = own;
  assert.deepEqual([delta?.delta, done?.code], [code, code]);
  const { id, call_id } = asObject(added?.item);
  assert(typeof call_id === "string" && call_id !== "");
  assert.deepEqual([delta?.item_id, done?.item_id, delta?.output_index], [id, id, added?.output_index]);
}

testEngines(
  "code_interpreter runs Python, and shows logs, images and files where they are wanted",
  async (openRig) => {
    await using rig = await openRig();
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const code =
      `import base64; open("p.png", "wb").write(base64.b64decode("${png}")); open("t.txt", "w").write("x"); print(6 * 7)`;
    const body = {
      model: "local/echo",
      input: `Use the code_interpreter tool with: ${JSON.stringify({ code })}`,
      tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }],
    };
    const wanted = await post(rig, {
      path: "responses",
      body: { ...body, include: ["code_interpreter_call.outputs"] },
    });
    const [item = {}] = itemsOf(wanted);
    assert.deepEqual([item.type, item.status, item.code], ["code_interpreter_call", "completed", code]);
    const outputs = asList(item.outputs).map(asObject);
    assert.deepEqual(outputs.map(({ type }) => type).sort(), ["file", "image", "logs"]);
    assert.equal(outputs.find(({ type }) => type === "logs")?.logs, "42\n");
    assert.equal(outputs.find(({ type }) => type === "image")?.url, `data:image/png;base64,${png}`);
    const program = 'print(open("t.txt").read())';
    const streamed = await fetch(`${rig.gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${rig.gateway.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        ...body,
        input: `Use the code_interpreter tool with: ${JSON.stringify({ code: program })}`,
        tools: [{ type: "code_interpreter", container: String(item.container_id) }],
        stream: true,
      }),
    });
    const events = framesOf(await streamed.text());
    const again = asObject(events.at(-1)?.response);
    assert.equal(itemsOf(again)[0]?.outputs, null);
    assert.match(JSON.stringify(itemsOf(again).at(-1)), /x\\\\n/);
    assertEvents(events, program);
  },
);

testEngines(
  "Anthropic's code execution runs Python for other makers' models, in Anthropic's blocks",
  async (openRig) => {
    await using rig = await openRig();
    const input = { code: 'print("from Python"); open("made.txt", "w").write("x")' };
    const body = {
      model: "local/echo",
      max_tokens: 500,
      tools: [{ type: "code_execution_20250522", name: "code_execution" }],
    };
    const asked = { role: "user", content: `Use the code_interpreter tool with: ${JSON.stringify(input)}` };
    const answer = await post(rig, { path: "messages", body: { ...body, messages: [asked] } });
    const [use, result] = asList(answer.content).map(asObject);
    assert.partialDeepStrictEqual(use, { type: "server_tool_use", name: "code_execution", input });
    assert.partialDeepStrictEqual(result, {
      type: "code_execution_tool_result",
      tool_use_id: use?.id,
      // The value of the last expression stands behind what was printed, as in a notebook.
      content: { type: "code_execution_result", stdout: "from Python\n1\n", return_code: 0 },
    });
    const [made] = asList(asObject(result?.content).content).map(asObject);
    assert.equal(made?.type, "code_execution_output");
    const again = [asked, { role: "assistant", content: answer.content }, {
      role: "user",
      content: "Repeat it",
    }];
    const second = await post(rig, { path: "messages", body: { ...body, messages: again } });
    assert.equal(second.stop_reason, "end_turn");
  },
);

testEngines(
  "apply_patch changes files of the container with the engine container, or nothing",
  async (openRig) => {
    await using rig = await openRig();
    const patch = async (args: Json) => {
      const answer = await post(rig, {
        path: "responses",
        body: {
          model: "local/echo",
          input: `Use the apply_patch tool with: ${JSON.stringify(args)}`,
          tools: [{ type: "service:apply_patch", engine: "container" }],
          session_id: "s",
        },
      });
      const [item = {}] = itemsOf(answer);
      return `${item.status} ${item.output ?? ""}`;
    };
    assert.match(await patch({ type: "create_file", path: "d/a.py", diff: "+one\n+two" }), /^completed /);
    assert.match(
      await patch({ type: "update_file", path: "/home/user/d/a.py", diff: "@@\n one\n-two\n+three" }),
      /^completed /,
    );
    assert.equal((await rig.bash({ command: "cat d/a.py" }, { session: "s" })).stdout, "one\nthree\n");
    assert.match(
      await patch({ type: "update_file", path: "d/a.py", diff: "@@\n-gone\n+x" }),
      /Hunk 1 does not fit/,
    );
    assert.match(await patch({ type: "create_file", path: "d/a.py", diff: "+x" }), /There is a file/);
    assert.match(
      await patch({ type: "create_file", path: "../../etc/passwd", diff: "+x" }),
      /no path below the home folder/,
    );
    assert.match(await patch({ type: "create_file", path: "d/a.py/b", diff: "+x" }), /no folder/);
    assert.equal((await rig.bash({ command: "cat d/a.py" }, { session: "s" })).stdout, "one\nthree\n");
    assert.match(await patch({ type: "delete_file", path: "d/a.py" }), /^completed /);
    assert.equal((await rig.bash({ command: "ls d" }, { session: "s" })).stdout, "");
  },
);

testEngines("bash works on chat and Messages, and its output is cut in the middle", async (openRig) => {
  await using rig = await openRig();
  const content =
    'Use the bash tool with: {"command": "for i in $(seq 100); do echo line $i; done", "max_output_length": 60}';
  const messages = [{ role: "user", content }];
  const tools = [{ type: "openrouter:bash", engine: "openrouter" }];
  for (const path of ["chat/completions", "messages"]) {
    const answer = await post(rig, { path, body: { model: "local/echo", max_tokens: 500, messages, tools } });
    assert.match(JSON.stringify(answer), /characters left out/);
  }
});

Deno.test(
  "tools that run code are not offered where containers are off, and 400 where they are forced",
  async () => {
    await using rig = await containerRig({ env: { TOLLGATE_SANDBOX: "off" } });
    const { url, apiKey } = rig.gateway;
    const send = (more: Json) =>
      fetch(`${url}/v1/responses`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({
          model: "local/echo",
          input: "Hello",
          tools: [{ type: "service:bash", engine: "container" }],
          ...more,
        }),
      });
    const answered = await send({});
    assert.equal(answered.status, 200);
    await answered.body?.cancel();
    const forced = await send({ tool_choice: { type: "service:bash" } });
    const error = JSON.stringify(await forced.json());
    assert.deepEqual([forced.status, /TOLLGATE_SANDBOX/.test(error)], [400, true], error);
  },
);

testEngines("a receipt counts the commands of a call and their seconds", async (openRig) => {
  await using rig = await openRig();
  const answer = await post(rig, {
    path: "responses",
    body: {
      model: "local/echo",
      input: 'Use the bash tool with: {"commands": ["echo 1", "sleep 0.2"]}',
      tools: [{ type: "service:bash", engine: "container" }],
    },
  });
  const { url, apiKey } = rig.gateway;
  const id = String(answer.id).replace(/^resp_/, "gen-");
  const response = await fetch(`${url}/v1/generation?id=${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const receipt = asObject(asObject(await response.json()).data);
  const call = asList(receipt.calls).map(asObject).find(({ purpose }) => purpose === "tool:bash");
  assert.equal(call?.commands, 2, JSON.stringify(receipt));
  assert(Number(call?.command_seconds) >= 0.2);
});
