import assert from "node:assert/strict";
import { admin, type AdminOptions } from "./admin.ts";
import { readArguments } from "./arguments.ts";
import { commands } from "./commands.ts";
import { shown } from "./show.ts";

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly key: string | null;
}

/** Runs a command against a gateway that answers `reply`, and tells what was sent. */
async function run(args: readonly string[], reply: Response, changes: Partial<AdminOptions> = {}) {
  const sent: Sent[] = [];
  const told = await admin({
    args,
    url: "http://127.0.0.1:8787",
    managementKey: "tg-mgmt-0",
    fetch: (input, init) => {
      const request = new Request(input, init);
      sent.push({
        method: request.method,
        url: request.url,
        body: typeof init?.body === "string" ? JSON.parse(init.body) : undefined,
        key: request.headers.get("authorization"),
      });
      return Promise.resolve(reply);
    },
    width: 120,
    ...changes,
  });
  return { told, sent };
}

const reply = (data: unknown, status = 200) => Response.json(data, { status });

Deno.test("readArguments tells words, flags and switches apart", () => {
  const { words, flags } = readArguments([
    "keys",
    "list",
    "--offset=3",
    "--json",
    "--name",
    "A b",
    "--",
    "--x",
  ]);
  assert.deepEqual(words, ["keys", "list", "--x"]);
  assert.deepEqual([...flags], [["offset", "3"], ["json", "true"], ["name", "A b"]]);
  assert.throws(() => readArguments(["--a", "1", "--a", "2"]), /--a is given twice/);
  assert.throws(() => readArguments(["---"]), /is no flag/);
});

Deno.test("admin lists its commands, all of them with a summary", async () => {
  const { told, sent } = await run([], reply({}));
  assert.equal(sent.length, 0);
  for (const { name } of commands) assert.ok(told.out.includes(`  ${name}`), name);
});

Deno.test("admin reads a list as a table, with the query checked", async () => {
  const rows = [{ hash: "ab", name: "One", limit: null, usage: 0.5 }, {
    hash: "cd",
    name: "Two\u001b[2J",
    limit: 3,
    usage: 12,
  }];
  const { told, sent } = await run(["keys", "list", "--offset", "0"], reply({ data: rows }));
  assert.deepEqual(sent, [{
    method: "GET",
    url: "http://127.0.0.1:8787/v1/keys?offset=0",
    body: undefined,
    key: "Bearer tg-mgmt-0",
  }]);
  assert.equal(told.code, 0);
  assert.equal(
    told.out,
    "hash  name     limit  usage\n----  -------  -----  -----\nab    One          -    0.5\ncd    Two?[2J      3     12\n",
  );
  await assert.rejects(
    run(["keys", "list", "--colour", "red"], reply({})),
    /keys list has no --colour: it takes --offset/,
  );
  await assert.rejects(run(["keys", "list", "abc"], reply({})), /keys list takes no word behind it/);
});

Deno.test("admin shows the reply as it is with --json, and a refusal as a sentence", async () => {
  const { told } = await run(["keys", "list", "--json"], reply({ data: [] }));
  assert.deepEqual(JSON.parse(told.out), { data: [] });
  const refused = await run(
    ["keys", "list"],
    reply({ error: { code: 401, message: "No valid key was given." } }, 401),
  );
  assert.deepEqual(refused.told, { out: "401 No valid key was given.\n", code: 1 });
});

Deno.test("admin says what is missing before it sends anything", async () => {
  await assert.rejects(run(["cheese"], reply({})), /There is no command "cheese"/);
  await assert.rejects(
    run(["keys", "list"], reply({}), { managementKey: undefined }),
    /TOLLGATE_MANAGEMENT_KEY is not set/,
  );
  const down = run(["keys", "list"], reply({}), { fetch: () => Promise.reject(new TypeError("refused")) });
  await assert.rejects(down, /No gateway answers at http:\/\/127\.0\.0\.1:8787/);
});

Deno.test("shown leaves out columns that do not fit, and says when there is nothing", () => {
  const rows = [{ id: "1", note: "x".repeat(50), kind: "y" }];
  assert.ok(!shown({ data: rows }, { width: 30 }).includes("xxx"));
  assert.equal(shown({ data: [] }, { width: 80 }), "Nothing found.");
  assert.equal(shown({ deleted: true }, { width: 80 }), "deleted  true");
});
