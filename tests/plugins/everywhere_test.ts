/** Each plugin on each API, whole and streamed, over the built-in model and the mock of every wire: alike everywhere. */

import { type MockedWire, says, upstreamWires } from "../server_tools/rig.ts";
import { withWeb } from "../server_tools/web_rig.ts";
import { actingPlugins, idlePlugins } from "./plugin_rows.ts";
import { checkPublished } from "./published_bodies.ts";
import { apis, askWith, requestOn } from "./rig.ts";

const targets: readonly (MockedWire | "local")[] = ["local", ...upstreamWires];

for (
  const { name, web = {}, fields, turns = () => [says("Done.")], check } of [...actingPlugins, ...idlePlugins]
) {
  const local = { ...web, gateway: { ...web.gateway, env: { TOLLGATE_LOCAL: "on", ...web.gateway?.env } } };
  Deno.test(`${name} does the same on every API, whole and streamed, at every wire`, async (t) => {
    await withWeb(local, async (rig) => {
      for (const target of targets) {
        for (const api of apis) {
          for (const stream of [false, true]) {
            await t.step(`${target} ${api} ${stream ? "streamed" : "whole"}`, async () => {
              rig.plan(turns);
              const model = target === "local" ? "local/echo" : `mock/${target}`;
              const body = requestOn(api, { model, ...fields(rig, api) });
              const answer = await askWith(rig.gateway, { api, stream, body });
              await checkPublished(answer.sent, { api, stream });
              check(answer, { rig, api, body: target === "local" ? undefined : rig.taken(target).at(-1) });
            });
          }
        }
      }
    });
  });
}
