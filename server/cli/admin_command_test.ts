import assert from "node:assert/strict";
import { parseArguments } from "./parse_arguments.ts";
import { commands } from "./commands.ts";
import { formatReply } from "./format_reply.ts";
import { reply, run } from "../../tests/support/run_admin.ts";
import { localCommands } from "./local_commands.ts";

Deno.test("parseArguments tells words, flags and switches apart", () => {
  const { words, flags } = parseArguments([
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
  assert.throws(() => parseArguments(["--a", "1", "--a", "2"]), /--a is given twice/);
  assert.throws(() => parseArguments(["---"]), /is no flag/);
});

Deno.test("admin lists its commands, all of them with a summary", async () => {
  const { output, sent } = await run([], reply({}));
  assert.equal(sent.length, 0);
  for (const { name } of [...commands, ...localCommands]) {
    assert.match(output.out, new RegExp(`^  ${name} .*\\w\\.$`, "m"));
  }
});

Deno.test("admin reads a list as a table, with the query checked", async () => {
  const rows = [{ hash: "ab", name: "One", limit: null, usage: 0.5 }, {
    hash: "cd",
    name: "Two\u001b[2J",
    limit: 3,
    usage: 12,
  }];
  const { output, sent } = await run(["keys", "list", "--offset", "0"], reply({ data: rows }));
  assert.deepEqual(sent, [{
    method: "GET",
    url: "http://127.0.0.1:8787/v1/keys?offset=0",
    body: undefined,
    key: "Bearer tg-mgmt-0",
  }]);
  assert.equal(output.code, 0);
  assert.equal(
    output.out,
    "hash  name     limit  usage\n----  -------  -----  -----\nab    One          -    0.5\ncd    Two?[2J      3     12\n",
  );
  await assert.rejects(
    run(["keys", "list", "--colour", "red"], reply({})),
    /keys list has no --colour\. It takes --offset/,
  );
  await assert.rejects(run(["keys", "list", "abc"], reply({})), /keys list takes no word behind it/);
});

Deno.test("admin shows the reply as it is with --json, and a refusal as a sentence", async () => {
  const { output } = await run(["keys", "list", "--json"], reply({ data: [] }));
  assert.deepEqual(JSON.parse(output.out), { data: [] });
  const refused = await run(
    ["keys", "list"],
    reply({ error: { code: 401, message: "No valid key was given." } }, 401),
  );
  assert.deepEqual(refused.output, { out: "401 No valid key was given.\n", code: 1 });
  const error = { code: 401, message: "No valid key was given." };
  const asJson = await run(["keys", "list", "--json"], reply({ error }, 401));
  assert.deepEqual([JSON.parse(asJson.output.out), asJson.output.code], [{ error }, 1]);
});

Deno.test("admin refuses a --url that is no address before it sends anything", async () => {
  for (const url of ["127.0.0.1:8787", "localhost:8787", "gateway", "ftp://x.example", ""]) {
    await assert.rejects(
      run(["keys", "list", `--url=${url}`], reply({})),
      /--url is ".*": allowed are addresses/,
    );
  }
  const { sent } = await run(["keys", "list", "--url", "https://gateway.example/base/"], reply({ data: [] }));
  assert.equal(sent[0]?.url, "https://gateway.example/base/v1/keys");
});

Deno.test("admin says what is missing before it sends anything", async () => {
  await assert.rejects(run(["cheese"], reply({})), /Unknown command "cheese"/);
  await assert.rejects(
    run(["keys", "list"], reply({}), { managementKey: undefined }),
    /TOLLGATE_MANAGEMENT_KEY is not set/,
  );
  const down = run(["keys", "list"], reply({}), { fetch: () => Promise.reject(new TypeError("refused")) });
  await assert.rejects(down, /No gateway answers at http:\/\/127\.0\.0\.1:8787/);
});

Deno.test("admin reads a list of words without the signs of JSON", async () => {
  const bodyOf = async (...args: string[]) => (await run(args, reply({ data: [] }))).sent[0]?.body;
  assert.deepEqual(
    await bodyOf(
      "analytics",
      "query",
      "--metrics",
      "request_count, total_usage",
      "--dimensions",
      '["model"]',
    ),
    { metrics: ["request_count", "total_usage"], dimensions: ["model"] },
  );
  assert.deepEqual(await bodyOf("keys", "create", "--name", "a,b", "--limit", "5"), {
    name: "a,b",
    limit: 5,
  });
  const odd = ["keys", "create", "--name", "1", "--limit", "x", "--limit_reset", "yearly"];
  await assert.rejects(run(odd, reply({})), /limit is "x"; a number is expected/);
  await assert.rejects(
    run(["analytics", "query", "--metrics", ""], reply({})),
    /metrics is ""; an array is expected/,
  );
});

Deno.test("admin does nothing that cannot be undone without --yes", async () => {
  const rows = [
    ["keys delete abc", /it deletes/],
    ["keys rotate abc", /what is in use stops working/],
    ["clients revoke abc", /what is in use stops working/],
    ["workspaces members remove lab --user_ids a", /what is in use stops working/],
    ["keys update abc --disabled true", /stops working at once/],
    ["management-keys update abc --disabled true", /stops working at once/],
    ["keys update abc --abort true", /open calls end/],
    ["byok update abc --key sk-1", /the key that is stored is lost/],
    ["credits add --amount_usd -1 --reason x", /it takes credits away/],
    ["credits clear", /credits are no limit any more/],
  ] as const;
  for (const [line, why] of rows) {
    await assert.rejects(run(line.split(" "), reply({})), why, line);
    const { sent } = await run([...line.split(" "), "--yes"], reply({}));
    assert.equal(sent.length, 1, line);
  }
  const harmless = [
    "keys update abc --disabled false",
    "byok update abc --name x",
  ];
  for (const line of harmless) assert.equal((await run(line.split(" "), reply({}))).sent.length, 1, line);
});

Deno.test("admin asks before credits become a limit, and not where they are one", async () => {
  const add = ["credits", "add", "--amount_usd", "50", "--reason", "x"];
  const credits = (unlimited: boolean) => () => reply({ data: { total_usage: 40, unlimited } });
  await assert.rejects(
    run(add, credits(true)),
    /credits add needs --yes: spend is unlimited, and all keys together may spend 50 USD .* 40 USD are spent already/,
  );
  const methods = async (args: readonly string[], unlimited: boolean) =>
    (await run(args, credits(unlimited))).sent.map(({ method }) => method);
  assert.deepEqual(await methods(add, false), ["GET", "POST"]);
  assert.deepEqual(await methods([...add, "--yes"], true), ["POST"]);
  const refusal = () => reply({ error: { code: 403, message: "Not yours." } }, 403);
  assert.deepEqual((await run(add, refusal)).output, { out: "403 Not yours.\n", code: 1 });
});

Deno.test("admin tells a command's flags and a family's commands", async () => {
  const { output: one, sent } = await run(["keys", "create", "--help"], reply({}));
  assert.equal(sent.length, 0);
  assert.match(one.out, /--name +text \(needed\)\n +--limit +number or null\n/);
  assert.match(one.out, /--limit_reset +daily, weekly, monthly or null\n/);
  const { output: list } = await run(["audit", "list", "--help"], reply({}));
  assert.match(list.out, /--offset +number\n/);
  const { output: family } = await run(["budgets", "--help"], reply({}));
  assert.equal(family.out.trim().split("\n").length, 4);
  await assert.rejects(run(["cheese", "--help"], reply({})), /Unknown command "cheese"/);
  for (const { name } of commands) {
    assert.equal((await run([...name.split(" "), "--help"], reply({}))).output.code, 0);
  }
});

Deno.test("shown puts lists inside a record below it", () => {
  const data = { data: [{ model: "a", requests: 2 }], metadata: { rows: 1 } };
  assert.equal(
    formatReply({ data }, { width: 80 }),
    'model  requests\n-----  --------\na             2\nmetadata  {"rows":1}',
  );
  const usage = { label: "x", days: [{ date: "2026-01-01", usage: 1 }], empty: [] };
  assert.equal(
    formatReply({ data: usage }, { width: 80 }),
    "label  x\nempty  []\n\ndays:\ndate        usage\n----------  -----\n2026-01-01      1",
  );
});

Deno.test("shown shortens hashes and times where a table would not fit, and shows who has changed what", () => {
  const hash = "0123456789ab".padEnd(64, "c");
  const rows = [{
    id: "1",
    at: "2026-11-24T02:00:00.000Z",
    operation: "keys.update",
    actor: { kind: "management", key_hash: hash },
    subject: { type: "key", id: hash },
    before: { name: "x" },
  }];
  assert.equal(
    formatReply({ data: rows }, { width: 96 }).split("\n").at(-1),
    "1   2026-11-24 02:00  keys.update  management 0123456789ab  key 0123456789ab",
  );
  const wide = formatReply({ data: rows }, { width: 1_000 });
  assert(wide.includes(`management ${hash}`) && wide.includes("2026-11-24T02:00:00.000Z"));
  const keys = [{ hash, name: "A", label: "tg-api-...x4q", disabled: false, created_at: rows[0]?.at }];
  const narrow = formatReply({ data: keys }, { width: 80 });
  assert.match(narrow, /^0123456789ab +A +tg-api-\.\.\.x4q +false +2026-11-24 02:00$/m);
});

Deno.test("shown leaves out columns that do not fit, and says when there is nothing", () => {
  const rows = [{ id: "1", note: "x".repeat(50), kind: "y" }];
  assert.ok(!formatReply({ data: rows }, { width: 30 }).includes("xxx"));
  assert.match(
    formatReply({ data: rows }, { width: 30 }),
    /\nLeft out for want of room, --json has them: note$/,
  );
  assert.equal(formatReply({ data: [] }, { width: 80 }), "Nothing found.");
  assert.equal(formatReply({ deleted: true }, { width: 80 }), "deleted  true");
});

Deno.test("admin names a flag that a command does not take, and the nearest one, before it sends anything", async () => {
  const cases: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [["credits", "add", "--amount", "5"], /credits add has no --amount\. Did you mean --amount_usd\?/],
    [["keys", "create", "--nmae", "A"], /keys create has no --nmae\. Did you mean --name\?/],
    [["keys", "create", "--limit-reset", "daily"], /Did you mean --limit_reset\?/],
    [["keys", "update", "a".repeat(64), "--limt", "5"], /Did you mean --limit\?/],
    [["keys", "list", "--include-disabled"], /Did you mean --include_disabled\?/],
    [["keys", "list", "--josn"], /Did you mean --json\?/],
    [["files", "upload", "--file_name", "a"], /Did you mean --filename\?/],
    [["keys", "delete", "a".repeat(64), "--ye"], /Did you mean --yes\?/],
    [["keys", "list", "--colour", "red"], /keys list has no --colour\. It takes /],
  ];
  for (const [args, said] of cases) {
    let calls = 0;
    const counting = () => {
      calls++;
      return Response.json({ data: [] });
    };
    await assert.rejects(run(args, counting), said, args.join(" "));
    assert.equal(calls, 0, args.join(" "));
  }
});

Deno.test("every command refuses a flag that it does not take", async () => {
  const open: string[] = [];
  for (const { name, params } of commands) {
    const args = [...name.split(" "), ...params.map(() => "a".repeat(64)), "--no_such_flag", "1", "--yes"];
    const refused = await run(args, reply({ data: {} })).then(() => undefined, String);
    if (refused?.includes("has no --no_such_flag") !== true) open.push(name);
  }
  assert.deepEqual(open, []);
});

Deno.test("shown keeps what matters at 80 columns: beside the rest, or below its row", () => {
  const hash = "0123456789ab".padEnd(64, "c");
  const uuid = "01a2198f-938d-72cb-8e39-e8c93f9d5b38";
  const at = "2026-11-24T02:00:00.000Z";
  const key = {
    ...{ hash, name: "A key of the billing team", label: "tg-api-...x4q", disabled: false, limit: 5 },
    ...{ limit_remaining: 4, limit_reset: "monthly", usage: 2, usage_daily: 1, usage_weekly: 1 },
    ...{ usage_monthly: 1.25, created_at: at, workspace_id: uuid },
  };
  const entry = {
    ...{ id: "01a2198f939478d0add55c4adaa136e1", at, operation: "guardrails.create" },
    ...{ actor: { kind: "management", key_hash: hash }, subject: { type: "guardrail", id: uuid } },
  };
  const budget = { id: uuid, workspace_id: uuid, limit_usd: 50, reset_interval: "monthly", created_at: at };
  const cases: readonly (readonly [row: object, shown: readonly string[]])[] = [
    [key, ["0123456789ab", "A key of the billing team", "1.25"]],
    [entry, ["2026-11-24 02:00", "guardrails.create", "management 0123456789ab", `guardrail ${uuid}`]],
    [budget, [uuid, "monthly", "50"]],
  ];
  for (const [row, shown] of cases) {
    const text = formatReply({ data: [row, row] }, { width: 80 });
    for (const one of shown) assert.equal(text.split(one).length - 1 >= 2, true, `${one} in\n${text}`);
    const table = text.split("\n").filter((line) => !line.startsWith("Left out"));
    assert.ok(table.every((line) => line.length <= 80), text);
  }
});

Deno.test("shown calls the interval of a limit that is never reset lifetime", () => {
  const budget = { id: "b", limit_usd: 50, reset_interval: null };
  assert.match(formatReply({ data: budget }, { width: 80 }), /^reset_interval +lifetime$/m);
  assert.match(formatReply({ data: [budget] }, { width: 80 }), /lifetime/);
  const without = { id: "g", limit_usd: null, reset_interval: null };
  assert.match(formatReply({ data: without }, { width: 80 }), /^reset_interval +-$/m);
});
