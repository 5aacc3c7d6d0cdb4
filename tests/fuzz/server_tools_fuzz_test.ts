/**
 * Damaged requests of each API with the tools that reach servers, files and models: each is answered, none is our
 * fault, and a refusal names what is wrong. `SEED` chooses others, `TOLLGATE_TEST_RUNS` how many.
 */

import assert from "node:assert/strict";
import type { Planned } from "../mocks/plan.ts";
import type { Json } from "../mocks/published.ts";
import { type McpMock, withMcp } from "../mcp/rig.ts";
import { addFile } from "../server_tools/file_search_rig.ts";
import { isInner } from "../server_tools/nested_rig.ts";
import { type Api, apis, calls, eventsOf, paths, says, type ToolRig } from "../server_tools/rig.ts";
import { asList, asObject } from "../support/event_stream.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import { runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";
import { fiveTools } from "./covering_server_tools.ts";
import { mutatedFrom, type MutatedRequest } from "./mutate.ts";
import { type Random, seeded } from "./random.ts";

/** Requests of each API: 2,001 in all. */
const count = runs(667);

const model = "mock/chat";

/** Fields of the five tools, by the APIs that have them. */
const fields: Readonly<Record<Api, string>> = {
  responses:
    `server_label server_url connector_id tunnel_id authorization headers allowed_tools read_only tool_names
    require_approval always never server_description allowed_callers defer_loading approval_request_id approve reason
    vector_store_ids filters max_num_results ranking_options ranker score_threshold hybrid_search embedding_weight
    text_weight queries results service:files operation file_id openrouter:advisor service:subagent name model
    instructions forward_transcript stream max_completion_tokens temperature reasoning instance_name max_tool_calls
    inherit_functions inherited_function_names subagent_id task_name task_description outcome advice`,
  chat: `server_label server_url authorization headers allowed_tools require_approval server_description
    allowed_callers defer_loading vector_store_ids filters max_num_results ranking_options service:files
    openrouter:advisor service:subagent forward_transcript max_completion_tokens inherit_functions`,
  messages:
    `mcp_servers authorization_token mcp_toolset mcp_server_name default_config enabled configs defer_loading
    tools mcp_tool_use server_name mcp_tool_result is_error mcp_tool_listing service:file_search vector_store_ids
    service:files openrouter:advisor service:subagent advisor_20260301 max_uses max_tokens caching server_tool_use
    advisor_tool_result advisor_result stop_reason`,
};

const some = [null, true, 0, -1, 1e300, "", "echo", "workspace", "\ud800", "x".repeat(5_000), [], {}, ["x"]];
const argumentNames = [
  "text",
  "queries",
  "operation",
  "file_id",
  "content",
  "prompt",
  "task_description",
  "__proto__",
];

function damagedArguments(random: Random): string {
  const args = Array.from(
    { length: random.below(4) },
    () => `${JSON.stringify(random.pick(argumentNames))}:${JSON.stringify(random.pick(some))}`,
  );
  return `{${args.join(",")}}`;
}

/** Calls one of the functions that it is offered, and then ends. */
function modelTurn(body: Json, random: Random): readonly Planned[] {
  const offered = asList(body.tools ?? []).map((tool) =>
    String(asObject(asObject(tool).function ?? {}).name)
  );
  const isFirst = asObject(asList(body.messages).at(-1)).role !== "tool";
  if (isInner(body) || offered.length === 0 || !isFirst) return [says("Done.")];
  const good = [
    '{"text":"x"}',
    '{"queries":["x"]}',
    '{"operation":"list"}',
    '{"prompt":"Left?","task_description":"T"}',
  ];
  const args = random.below(2) === 0 ? random.pick(good) : damagedArguments(random);
  return [calls(random.pick(offered), { args })];
}

interface Judged {
  readonly api: Api;
  /** All that is damaged, as text. */
  readonly whole: string;
  readonly mutated: MutatedRequest;
}

async function judge({ gateway }: ToolRig, { api, whole, mutated: { text } }: Judged): Promise<number> {
  const response = await fetch(gateway.url + paths[api], {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.apiKey}`, "content-type": "application/json" },
    body: text,
  });
  const { status } = response;
  const body = await response.text();
  if (status !== 200) {
    assert([400, 403, 404, 413, 422].includes(status), `${status} ${body}`);
    judgeRefusal(asObject(asObject(JSON.parse(body)).error), whole + text);
    return status;
  }
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  const said = isWhole
    ? [asObject(JSON.parse(body))]
    : eventsOf({ status, headers: response.headers, text: body });
  for (const one of said) {
    const { error = null } = asObject(one.response ?? one);
    assert.equal(error, null, JSON.stringify(error));
  }
  return 200;
}

/** A refusal says which of the request's fields is wrong, or that it is no JSON. */
function judgeRefusal({ message }: Json, text: string): void {
  assert(typeof message === "string" && message.length < 5_000 && message.isWellFormed());
  const named = [...text.matchAll(/"([^"\\]+)":/g)].some(([, name = ""]) => message.includes(name));
  assert(named || /JSON|body|is missing/.test(message), `it names nothing: ${message}`);
}

/** A gateway with a file, whose model calls what it is offered. */
async function withFive(
  test: (rig: ToolRig & { readonly server: McpMock; readonly fileId: string }) => Promise<void>,
) {
  await using reader = quickReaderRig();
  await withMcp({ keeper: reader.keeper, env: { LOG_LEVEL: "warn" } }, async (rig) => {
    const fileId = await addFile(rig.gateway, { name: "a.md", text: "# X\n\nThe x is here.\n" });
    const random = seeded(seed + 2);
    rig.plan((_turn, body) => modelTurn(body, random));
    await test({ ...rig, fileId });
  });
}

for (const api of apis) {
  Deno.test(`damaged requests with servers, files and other models are answered (${api})`, async () => {
    await withFive(async (rig) => {
      const { gateway, server, fileId } = rig;
      const corpus = fiveTools({ server: server.url, fileId, model })[api].map((body) =>
        JSON.stringify(body)
      );
      const whole = corpus.join();
      for (const text of corpus) {
        assert.equal(await judge(rig, { api, whole, mutated: { text, done: [] } }), 200, text);
      }
      const seen = new Map<number, number>();
      for (const mutated of mutatedFrom({ seed, count, corpus })) {
        try {
          const status = await judge(rig, { api, whole, mutated });
          seen.set(status, (seen.get(status) ?? 0) + 1);
        } catch (cause) {
          throw new Error(`SEED=${seed}: ${mutated.done.join(", ")}\n${mutated.text.slice(0, 4_000)}`, {
            cause,
          });
        }
      }
      for (const status of [200, 400]) {
        assert((seen.get(status) ?? 0) > count / 50, JSON.stringify([...seen]));
      }
      assert(!("polluted" in {}));
      assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
    });
  });
}

Deno.test("the requests that are damaged have every field of the five tools", () => {
  const all = fiveTools({ server: "http://127.0.0.1:1/mcp", fileId: "f", model });
  for (const api of apis) {
    const text = JSON.stringify(all[api]);
    const missing = fields[api].split(/\s+/).filter((field) => !text.includes(`"${field}"`));
    assert.deepEqual(missing, [], api);
  }
});
