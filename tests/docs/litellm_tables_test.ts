/** Holds each row of the tables on LiteLLM in docs/migrating.md: the setting or flag that it names is there. */

import assert from "node:assert/strict";
import { flagHelp } from "../../server/cli/flag_help.ts";
import { findCommand } from "../../server/cli/commands.ts";
import { ConfigError, readConfig } from "../../server/config/config.ts";
import { envSettings } from "../../server/config/env_settings.ts";
import { providerSettings } from "../../server/providers/mod.ts";
import { asList, asObject, type Json } from "../support/event_stream.ts";
import { providerAt, startGateway } from "../support/gateway.ts";
import { says, scripted } from "../support/scripted.ts";

const page = await Deno.readTextFile(new URL("../../docs/migrating.md", import.meta.url));
const part = page.slice(page.indexOf("## From LiteLLM's proxy"));

/** First cell → the row's last. */
const rows = new Map(
  part.split("\n").filter((line) => /^\| [^-]/.test(line) && !/^\| (\||in `config|of a key)/.test(line))
    .map((line) => line.slice(2, -2).split(" | "))
    .map((cells) => [cells[0] ?? "", cells.at(-1) ?? ""] as const),
);

const hasSetting = (name: string) =>
  assert.ok(Object.values(envSettings).some((setting) => setting.name === name), name);

/** The command is there and takes every flag that the text names; nothing but a moment where `is` says so. */
function takes(command: string, text: string): void {
  const found = findCommand(command.split(" "));
  assert.ok(found, command);
  const help = flagHelp(found.command.row);
  const flags = [...text.matchAll(/--([a-z_]+)/g)].map(([, flag = ""]) => flag);
  assert.ok(flags.length > 0, `${text} names no flag`);
  for (const flag of flags) assert.match(help, new RegExp(`--${flag} `), `${command} --${flag}`);
}

function configOf(env: Readonly<Record<string, string>>, file: Json = {}) {
  const all: Readonly<Record<string, string>> = { TOLLGATE_CONFIG: "gate.jsonc", ...env };
  const source = { env: (name: string) => all[name], readFile: () => JSON.stringify(file), terminal: false };
  return readConfig(source, providerSettings);
}

const model = { id: "house/llama", upstream_id: "llama" };
const house = (more: Json = {}, ofModel: Json = {}): Json => ({
  id: "house",
  wire: "chat",
  base_url: "https://llm.house.example/v1",
  models: [{ ...model, ...ofModel }],
  ...more,
});

interface Attempts {
  readonly status: number;
  readonly calls: number;
  readonly body: Json;
}

/** Asks a gateway with so many providers of one model, of which the first ones fail. */
async function askAmong(
  count: number,
  { failing, body = {} }: { readonly failing: number; readonly body?: Json },
): Promise<Attempts> {
  await using upstream = scripted((requested, number) =>
    number < failing
      ? Response.json({ error: { message: "No." } }, { status: 503 })
      : says("chat", "Hello")(requested, number)
  );
  const providers = Array.from(
    { length: count },
    (_, at) =>
      providerAt(upstream.baseUrl, {
        id: `p${at}`,
        name: `P${at}`,
        wire: "chat",
        models: [{ id: "mock/model" }],
      }),
  );
  await using gateway = await startGateway({ providers });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${gateway.apiKey}`,
      "content-type": "application/json",
      "x-service-metadata": "enabled",
    },
    body: JSON.stringify({ model: "mock/model", messages: [{ role: "user", content: "Hi" }], ...body }),
  });
  return { status: response.status, calls: upstream.requested.length, body: asObject(await response.json()) };
}

/** By the row's first cell; `here` is its last. */
const checks: Readonly<Record<string, (here: string) => void | Promise<void>>> = {
  "address": (here) => assert.match(here, /Routes without `\/v1` are 404$/, "migrating_test.ts asks one"),
  "`general_settings.master_key`": (here) => {
    assert.match(here, /`TOLLGATE_MANAGEMENT_KEY` .* at least 32 characters$/);
    assert.throws(() => configOf({ TOLLGATE_MANAGEMENT_KEY: "m".repeat(31) }), ConfigError);
    assert.throws(() => configOf({ TOLLGATE_API_KEY: "a".repeat(31) }), ConfigError);
    configOf({ TOLLGATE_MANAGEMENT_KEY: "m".repeat(32), TOLLGATE_API_KEY: "a".repeat(32) });
  },
  "`general_settings.database_url`": (here) => {
    const names = [...here.matchAll(/`(TOLLGATE_\w+)`/g)].map(([, name = ""]) => name);
    assert.deepEqual(names, ["TOLLGATE_STORE", "TOLLGATE_DATA"]);
    names.forEach(hasSetting);
  },
  "`os.environ/NAME`": (here) => {
    assert.equal(here, '`"api_key_env": "NAME"`');
    const { providerEnv } = configOf({ NAME: "secret-of-a-test" }, {
      providers: [house({ api_key_env: "NAME" })],
    });
    assert.equal(providerEnv.get("NAME"), "secret-of-a-test");
  },
  "several rows with one `model_name`": async () => {
    const { status, calls } = await askAmong(2, { failing: 1 });
    assert.deepEqual([status, calls], [200, 2]);
  },
  "`fallbacks`, `default_fallbacks`": (here) => {
    assert.match(here, /an \[alias\]\(.*\) of several models/);
    const { aliases } = configOf({}, { aliases: { steady: ["house/llama", "openai/gpt-5"] } });
    assert.deepEqual(aliases.steady, ["house/llama", "openai/gpt-5"]);
  },
  "`context_window_fallbacks`, `content_policy_fallbacks`": (here) => {
    assert.match(here, /^the same alias/, "next_model_test.ts tries both failures");
  },
  "`model_name: openai/*`": (here) => {
    assert.match(here, /`openai\/<model>` is sent on as `<model>`/, "mod_test.ts asks for such names");
    configOf({}, { providers: [house({ open: true })] });
  },
  "`router_settings.model_group_alias`": (here) => {
    assert.equal(here, "`aliases`");
    configOf({}, { aliases: { fast: "house/llama" } });
  },
  "`stream_timeout` of a row with `api_base`": (here) => {
    assert.match(here, /^`first_byte_seconds`/);
    configOf({}, { providers: [house({ first_byte_seconds: 5 })] });
  },
  "`weight` of a row, `routing_strategy`": () => {
    assert.throws(() => configOf({}, { providers: [house({}, { weight: 5 })] }), ConfigError);
    assert.throws(() => configOf({}, { routing_strategy: "x" }), ConfigError);
  },
  "`cache_params`, `callbacks`": () => {
    for (const name of ["cache_params", "callbacks"]) {
      assert.throws(() => configOf({}, { [name]: {} }), ConfigError);
    }
  },
  "`litellm_settings.drop_params`": async () => {
    const { status, body } = await askAmong(1, { failing: 0, body: { transforms: ["middle-out"] } });
    assert.equal(status, 200);
    const { params } = asObject(body.service_metadata);
    assert.deepEqual(asList(asObject(params).dropped), ["transforms"]);
  },
  "`litellm_settings.num_retries`": async (here) => {
    assert.match(here, /^up to four endpoints are tried/);
    const { status, calls } = await askAmong(6, { failing: 6 });
    assert.deepEqual([status, calls], [503, 4]);
  },
  "`rpm`, `tpm` of a row": () => {
    for (const field of ["rpm", "tpm"]) {
      assert.throws(() => configOf({}, { providers: [house({}, { [field]: 5 })] }), ConfigError);
    }
  },
  "`key_alias`": (here) => takes("keys create", here),
  "`max_budget`, `budget_duration`": (here) => {
    takes("keys create", here);
    const help = flagHelp(findCommand(["keys", "create"])?.command.row ?? assert.fail());
    assert.match(help, /--limit_reset +daily, weekly, monthly/);
  },
  "`duration`": (here) => takes("keys create", here),
  "`rpm_limit`, `tpm_limit`, `max_parallel_requests`": (here) => takes("keys rate-limits set", here),
  "`models`": (here) => {
    assert.match(here, /`allowed_models`/);
    takes("guardrails create", "--allowed_models");
    takes("guardrails assignments keys add", "--key_hashes");
  },
  "`blocked`": (here) => takes("keys update", here),
  "`team_id`, the team's budget": () => {
    takes("workspaces create", "--name --slug");
    takes("budgets set", "--limit_usd");
    takes("keys create", "--workspace_id");
  },
};

Deno.test("each row of migrating's tables on LiteLLM has a check, and each check a row", () => {
  assert.deepEqual([...rows.keys()].sort(), Object.keys(checks).sort());
});

for (const [first, check] of Object.entries(checks)) {
  Deno.test(`migrating says of LiteLLM's ${first} what is so`, async () => {
    await check(rows.get(first) ?? assert.fail(`no row ${first}`));
  });
}
