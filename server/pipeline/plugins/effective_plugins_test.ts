import assert from "node:assert/strict";
import { defaultPlugins, plugins } from "../../../shared/responses/plugins.ts";
import { effectivePlugins, type PluginInput } from "./effective_plugins.ts";

interface Sent {
  readonly requested?: unknown;
  readonly asked?: unknown;
  readonly defaults?: unknown;
  readonly online?: boolean;
  readonly isConversation?: boolean;
}

const parsed = (input: Sent) => {
  const { requested = [], asked = [], defaults, online = false, isConversation = true } = input;
  const parsedInput: PluginInput = {
    requested: plugins.parse(requested),
    defaults: defaults === undefined ? undefined : defaultPlugins.parse(defaults),
    online,
    asked: plugins.parse(asked),
    implied: [],
    isConversation,
  };
  const { uses, notes } = effectivePlugins(parsedInput);
  return { uses: uses.map(({ options, origin, locked }) => [options, origin, locked]), notes };
};

const locked = (what: string) => `${what}: the workspace has locked its default`;

Deno.test("effectivePlugins lets an entry of the request replace the default of its id whole", () => {
  const defaults = [{ id: "web", max_results: 2, mode: "fast" }, { id: "response-healing" }];
  assert.deepEqual(parsed({ defaults, requested: [{ id: "web", mode: "deep" }, { id: "file-parser" }] }), {
    uses: [
      [{ id: "web", mode: "deep" }, "request", false],
      [{ id: "response-healing" }, "workspace", false],
      [{ id: "file-parser" }, "request", false],
    ],
    notes: [],
  });
  assert.deepEqual(parsed({ defaults, requested: [{ id: "web", enabled: false }] }).uses, [
    [{ id: "response-healing" }, "workspace", false],
  ]);
});

Deno.test("effectivePlugins switches off by enabled false, but for moderation", () => {
  for (const where of ["requested", "defaults"]) {
    const off = (id: string) => parsed({ [where]: [{ id, enabled: false }] }).uses.length;
    assert.equal(off("web"), 0);
    assert.equal(off("switchyard-router"), 0);
    assert.equal(off("moderation"), 1);
  }
  const { uses } = parsed({ defaults: [{ id: "web", enabled: false }], requested: [{ id: "web" }] });
  assert.deepEqual(uses, [[{ id: "web" }, "request", false]]);
});

Deno.test("effectivePlugins takes a parameter that asks for a plugin before a default that switches it off", () => {
  const asked = [{ id: "web" }];
  const off = { id: "web", enabled: false };
  const on = { id: "web", max_results: 2 };
  const byParameter = [[{ id: "web" }, "gateway", false]];
  assert.deepEqual(parsed({ asked }), { uses: byParameter, notes: [] });
  assert.deepEqual(parsed({ asked, defaults: [off] }), { uses: byParameter, notes: [] });
  assert.deepEqual(parsed({ asked, defaults: [on] }).uses, [[on, "workspace", false]]);
  assert.deepEqual(parsed({ asked, requested: [off] }), { uses: [], notes: [] });
  assert.deepEqual(parsed({ asked, defaults: [{ ...off, locked: true }] }), {
    uses: [],
    notes: [locked("plugin web")],
  });
});

Deno.test("effectivePlugins ignores and names what a request sends for a locked default", () => {
  const on = { id: "web", max_results: 2, locked: true };
  const off = { id: "response-healing", enabled: false, locked: true };
  const sent = [
    [{ id: "web", enabled: false }, { id: "response-healing", enabled: true }],
    [{ id: "web", locked: false, max_results: 9 }, { id: "response-healing", locked: true }],
  ];
  for (const requested of sent) {
    assert.deepEqual(parsed({ defaults: [on, off], requested }), {
      uses: [[on, "workspace", true]],
      notes: [locked("plugin web"), locked("plugin response-healing")],
    });
  }
  assert.deepEqual(parsed({ defaults: [on, off] }), { uses: [[on, "workspace", true]], notes: [] });
});

Deno.test("effectivePlugins adds web for :online, unless the request or a locked default says otherwise", () => {
  const online = true;
  assert.deepEqual(parsed({ online }).uses, [[{ id: "web" }, "online", false]]);
  assert.deepEqual(parsed({ online, defaults: [{ id: "web", enabled: false }] }).uses, [
    [{ id: "web" }, "online", false],
  ]);
  assert.deepEqual(parsed({ online, defaults: [{ id: "web", max_results: 2 }] }).uses, [
    [{ id: "web", max_results: 2 }, "workspace", false],
  ]);
  assert.deepEqual(parsed({ online, requested: [{ id: "web", enabled: false }] }), { uses: [], notes: [] });
  assert.deepEqual(parsed({ online, defaults: [{ id: "web", enabled: false, locked: true }] }), {
    uses: [],
    notes: [locked("plugin web (:online)")],
  });
});

Deno.test("effectivePlugins keeps nothing but moderation where a text is spoken", () => {
  const defaults = [{ id: "moderation" }, { id: "web" }, { id: "response-healing" }];
  assert.deepEqual(parsed({ defaults, isConversation: false }).uses, [[
    { id: "moderation" },
    "workspace",
    false,
  ]]);
});
