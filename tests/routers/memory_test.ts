/** Memory of routers, and what they prepare: conversations of each workspace, turns of a loop, long lists of patterns. */

import assert from "node:assert/strict";
import type { Plugin } from "../../shared/responses/plugins.ts";
import { plainSpelling, versionless } from "../../server/providers/model_spelling.ts";
import { LiveStats } from "../../server/pipeline/routing/health/endpoint_stats.ts";
import { planRoute, prepareRoute, type RoutePlan } from "../../server/pipeline/routing/route_plan.ts";
import { noEvidence } from "../../server/pipeline/routing/routers/evidence.ts";
import { RoutedSessions } from "../../server/pipeline/routing/routers/routed_sessions.ts";
import { compileModelPatterns } from "../../server/pipeline/routing/selection/model_patterns.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { endpointAt } from "../routing/rig.ts";
import { fakeClock } from "../support/clock.ts";
import { modelRequest } from "../support/requests.ts";
import { routerDeps } from "../support/router_deps.ts";

const ids = Array.from({ length: 10 }, (_, at) => `acme/m${at}`);
const endpoints = ids.map((id, at) => endpointAt("p", { usd: 1 + at, model: { id } }));
const evidence = { ...noEvidence, defaultModels: ids.toReversed() };

function depsOf(clock = fakeClock(), all = endpoints) {
  const stats = new LiveStats(clock);
  const resolve = (model: string) => all.filter((one) => one.model.id === model);
  return { ...routerDeps({ stats, clock, endpoints: all, evidence }), resolve };
}

const open: Plugin = { id: "auto-router", cost_quality_tradeoff: 0 };
const auto = (fields: Partial<ModelRequest> = {}) =>
  modelRequest({ model: "openrouter/auto", plugins: [open], ...fields });
const firstOf = ({ candidates }: RoutePlan) => candidates[0]?.profile.endpoint.model.id;

Deno.test("nobody meets the conversations of another workspace or router", () => {
  const deps = depsOf();
  const plan = (workspaceId: string, fields: Partial<ModelRequest> = {}) =>
    planRoute(deps, { request: auto({ sessionId: "s", ...fields }), generation: "g", workspaceId });
  const [decision] = plan("one").decisions;
  assert(decision !== undefined);
  assert.equal(firstOf(plan("one")), "acme/m8");
  deps.sessions.remember(decision.session, "acme/m2");
  assert.equal(firstOf(plan("one")), "acme/m2");
  assert.equal(firstOf(plan("one", { model: "service/auto" })), "acme/m2", "the same router");
  assert.equal(firstOf(plan("two")), "acme/m8");
  assert.equal(firstOf(plan("one", { sessionId: "t" })), "acme/m8");
  const beta: Plugin = { id: "auto-beta-router", cost_quality_tradeoff: 0 };
  assert.equal(firstOf(plan("one", { model: "openrouter/auto-beta", plugins: [beta] })), "acme/m8");
});

Deno.test("a conversation without a session is told by its first system and its first other message", () => {
  const deps = depsOf();
  const said = (role: "system" | "user" | "assistant", text: string) =>
    ({ type: "message", role, parts: [{ type: "text", text }] }) as const;
  const sessionOf = (fields: Partial<ModelRequest>) =>
    planRoute(deps, { request: auto(fields), generation: "g" }).decisions[0]?.session;
  const first = sessionOf({ input: [said("system", "Be brief."), said("user", "Hi")] });
  const later = [said("assistant", "Hello."), said("user", "More")];
  assert.equal(sessionOf({ input: [said("system", "Be brief."), said("user", "Hi"), ...later] }), first);
  assert.equal(sessionOf({ instructions: "Be brief.", input: [said("user", "Hi"), ...later] }), first);
  assert.notEqual(sessionOf({ input: [said("user", "Hi")] }), first);
  assert.notEqual(sessionOf({ input: [said("system", "Be brief."), said("user", "Ho")] }), first);
  const words = "word ".repeat(5_000);
  const long = sessionOf({ input: [said("user", `${words}one`)] });
  assert.equal(sessionOf({ input: [said("user", `${words}two`)] }), long, "its beginning is read");
});

Deno.test("sessions are bounded, the one that was answered longest ago goes, and each ends by itself", () => {
  const clock = fakeClock();
  const sessions = new RoutedSessions(clock);
  sessions.remember("first", "acme/m1");
  sessions.remember("second", "acme/m2");
  sessions.remember("first", "acme/m3");
  for (let at = 0; at < 19_999; at++) sessions.remember(`other ${at}`, "acme/m0");
  assert.deepEqual([sessions.modelOf("first"), sessions.modelOf("second")], ["acme/m3", undefined]);
  clock.leap(600_000);
  assert.equal(sessions.modelOf("first"), undefined);
});

Deno.test("a later turn of a loop stays with the model that answered the one before, while it may serve", () => {
  const deps = depsOf();
  const plan = (fields: Partial<ModelRequest>, turnModel: string) =>
    planRoute(deps, { request: auto(fields), generation: "g", turnModel });
  assert.equal(firstOf(plan({}, "acme/m9")), "acme/m9", "also above the ceiling");
  assert.equal(plan({}, "acme/m9").decisions[0]?.data.kept_by, "turn");
  const without: Plugin = { ...open, excluded_models: ["*/m9"] };
  assert.equal(firstOf(plan({ plugins: [without] }, "acme/m9")), "acme/m7", "the best below the ceiling");
});

const many = (tail: string): string[] =>
  Array.from({ length: 1_024 }, (_, at) => `*m*${at % 10}*${tail}${at}*`);

Deno.test("long lists of patterns are matched before the plan, with pauses, and the plan matches none anew", async () => {
  const catalog = Array.from({ length: 500 }, (_, at) => endpointAt("p", { model: { id: `acme/m${at}` } }));
  let ms = 0;
  const deps = { ...depsOf(fakeClock(), catalog), clock: { monotonic: () => ms++ } };
  const [allowed, excluded] = [["acme/*", ...many("a")].slice(0, 1_024), many("b")];
  const request = auto({ plugins: [{ ...open, allowed_models: allowed, excluded_models: excluded }] });
  const preparing = prepareRoute(deps, { request });
  assert(preparing instanceof Promise, "more than a turn's work");
  await preparing;
  const names = catalog.map(({ model: { id } }) => plainSpelling(id));
  for (const list of [allowed, excluded]) {
    const { answers } = compileModelPatterns(list);
    assert(names.every((name) => answers.has(name) && answers.has(versionless(name))));
  }
  const { candidates } = planRoute(deps, { request, generation: "g" });
  assert.equal(candidates.length, 4);
});

Deno.test("prepareRoute has nothing to do for short lists, and where no router is named", () => {
  const deps = depsOf();
  const long: Plugin = { ...open, allowed_models: many("c"), excluded_models: many("d") };
  assert.equal(prepareRoute(deps, { request: auto() }), undefined);
  assert.equal(prepareRoute(deps, { request: auto({ plugins: [] }) }), undefined);
  assert.equal(prepareRoute(deps, { request: auto({ model: "acme/m1", plugins: [long] }) }), undefined);
});
