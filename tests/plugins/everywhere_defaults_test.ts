/** Each plugin as a default of its workspace, locked and not: what a request changes of it, and that explain says the same. */

import assert from "node:assert/strict";
import { asObject, type Json } from "../support/event_stream.ts";
import type { Gateway } from "../support/gateway.ts";
import { managed } from "../support/manage.ts";
import { says, send, type Sent, wholeOf } from "../server_tools/rig.ts";
import { type WebRig, withWeb } from "../server_tools/web_rig.ts";
import { actingPlugins, type PluginRow } from "./plugin_rows.ts";
import { type Api, apis, askWith, explained, paramsOf, type PluginAnswer, requestOn } from "./rig.ts";

const LOCKED = "the workspace has locked its default";

async function settle(gateway: Gateway, default_plugins: unknown): Promise<void> {
  const { status, body } = await managed(gateway, {
    call: "PATCH /workspaces/default",
    body: { default_plugins },
  });
  assert.equal(status, 200, JSON.stringify(body));
}

/** A request's plugins, and its model where that is spelled in another way. */
interface Said {
  readonly plugins?: unknown;
  readonly model?: string;
  readonly models?: readonly string[];
}

interface Way {
  readonly api: Api;
  readonly stream: boolean;
}

/** One row at one gateway, asked in one way. */
class PluginTrial {
  readonly #rig: WebRig;
  readonly #row: PluginRow;
  readonly #way: Way;

  constructor(rig: WebRig, row: PluginRow, way: Way) {
    this.#rig = rig;
    this.#row = row;
    this.#way = way;
  }

  /** The plugin as its row names it. */
  get plugin(): Json {
    const { plugins = [{ id: this.#row.name }] } = this.#row.fields(this.#rig, this.#way.api);
    return asObject(Array.isArray(plugins) ? plugins[0] : undefined);
  }

  body(said: Said, api = this.#way.api): Json {
    const { plugins: _, ...fields } = this.#row.fields(this.#rig, api);
    return requestOn(api, { model: "mock/chat", ...fields, ...said });
  }

  send(said: Said): Promise<Sent> {
    const { api } = this.#way;
    this.#rig.plan(this.#row.turns ?? (() => [says("Done.")]));
    const headers = { "x-service-metadata": "enabled" };
    return send(this.#rig.gateway, { api, body: this.body(said), headers });
  }

  async ask(said: Said): Promise<PluginAnswer> {
    this.#rig.plan(this.#row.turns ?? (() => [says("Done.")]));
    return await askWith(this.#rig.gateway, { ...this.#way, body: this.body(said) });
  }

  /** Fails where the plugin did not act. */
  assertActed(answer: PluginAnswer): void {
    const { api } = this.#way;
    this.#row.check(answer, { rig: this.#rig, api, body: this.#rig.taken("chat").at(-1) });
  }

  /**
   * Fails where the plugin has acted. Without it the request may be one that no model takes: then nothing of it has been
   * done. Returns what was left out.
   */
  async assertIdle(said: Said): Promise<unknown> {
    const sent = await this.send(said);
    const metadata = asObject(wholeOf(sent, sent.status).service_metadata);
    assert.deepEqual(metadata.pipeline, [], sent.text);
    assert(sent.status < 500, sent.text);
    return paramsOf({ metadata }).dropped;
  }

  /** Words of explain for what the plugin would do; undefined where it does not name it. */
  async would(said: Said): Promise<string | undefined> {
    const { id } = this.plugin;
    const named = await explained(this.#rig.gateway, this.body(said, "responses"));
    return named.filter((one) => one.id === id).map(({ would }) => String(would))[0];
  }
}

const isIdle = (would: string | undefined): boolean => would === undefined || would.startsWith("do nothing");

/** Ways in which a request may try to be rid of a locked default, and whether the metadata names that. */
const dodges: readonly (readonly [what: string, said: (id: unknown) => Said, isNamed: boolean])[] = [
  ["enabled false", (id) => ({ plugins: [{ id, enabled: false }] }), true],
  ["locked false", (id) => ({ plugins: [{ id, enabled: false, locked: false }] }), true],
  ["plugins null", () => ({ plugins: null }), false],
  ["no plugins", () => ({ plugins: [] }), false],
  ["another plugin", () => ({ plugins: [{ id: "fusion", enabled: false }] }), false],
  ["a variant", (id) => ({ model: "mock/chat:nitro", plugins: [{ id, enabled: false }] }), true],
  ["models", (id) => ({ models: ["mock/chat"], plugins: [{ id, enabled: false }] }), true],
];

async function tryDefaults(rig: WebRig, trial: PluginTrial): Promise<void> {
  const { plugin } = trial;
  const { gateway } = rig;
  await settle(gateway, [plugin]);
  trial.assertActed(await trial.ask({}));
  assert(!isIdle(await trial.would({})), "a default");
  if (plugin.id !== "moderation") {
    const off = { plugins: [{ id: plugin.id, enabled: false }] };
    assert.equal(await trial.assertIdle(off), undefined);
    assert.equal(await trial.would(off), undefined, "switched off");
    await settle(gateway, off.plugins);
    assert.equal(await trial.assertIdle({}), undefined);
    const own = { plugins: [plugin] };
    trial.assertActed(await trial.ask(own));
    assert(!isIdle(await trial.would(own)), "a plugin of the request");
  }
}

async function tryLocks(rig: WebRig, trial: PluginTrial): Promise<void> {
  const { plugin } = trial;
  await settle(rig.gateway, [{ ...plugin, locked: true }]);
  for (const [what, said, isNamed] of dodges) {
    const answer = await trial.ask(said(plugin.id));
    trial.assertActed(answer);
    const dropped = [paramsOf(answer).dropped ?? []].flat().map(String);
    assert.equal(dropped.includes(`plugin ${plugin.id}: ${LOCKED}`), isNamed, `${what}: ${dropped}`);
    assert(!isIdle(await trial.would(said(plugin.id))), what);
  }
  const twice = { plugins: [plugin, { ...plugin, enabled: false }] };
  assert.equal((await trial.send(twice)).status, 400);
  if (plugin.id === "moderation") return;
  // Locked off, it does not act either.
  await settle(rig.gateway, [{ id: plugin.id, enabled: false, locked: true }]);
  const dropped = [await trial.assertIdle({ plugins: [plugin] }) ?? []].flat();
  assert.deepEqual(dropped, [`plugin ${plugin.id}: ${LOCKED}`]);
  assert(isIdle(await trial.would({ plugins: [plugin] })), "locked off");
}

for (const row of actingPlugins) {
  Deno.test(`${row.name} as a default can be changed and switched off, and a locked one cannot`, async (t) => {
    const { web = {} } = row;
    const env = { TOLLGATE_LOCAL: "on", ...web.gateway?.env };
    await withWeb({ ...web, gateway: { ...web.gateway, env } }, async (rig) => {
      for (const api of apis) {
        for (const stream of [false, true]) {
          await t.step(`${api} ${stream ? "streamed" : "whole"}`, async () => {
            const trial = new PluginTrial(rig, row, { api, stream });
            await tryDefaults(rig, trial);
            await tryLocks(rig, trial);
            await settle(rig.gateway, null);
          });
        }
      }
    });
  });
}
