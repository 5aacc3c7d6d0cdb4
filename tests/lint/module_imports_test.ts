import assert from "node:assert/strict";
import plugin from "./mod.ts";
import { moduleOf, modules } from "./module_imports.ts";

/** Messages of the rule `module-imports` for one line of source in one file. */
function complaints(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source)
    .filter(({ id }) => id === "tollgate/module-imports")
    .map(({ message }) => message);
}

const allowed: readonly (readonly [file: string, source: string])[] = [
  ["shared/responses/request.ts", 'import * as z from "zod";'],
  ["server/protocols/canonical/item.ts", 'import type { ErrorType } from "../../../shared/errors.ts";'],
  ["server/protocols/canonical/event.ts", 'import type { Item } from "./item.ts";'],
  ["server/protocols/stream/sse.ts", 'import { createParser } from "eventsource-parser";'],
  ["server/protocols/chat/outbound/mod.ts", 'import { byType } from "../../stream/state_machine.ts";'],
  ["server/protocols/chat/outbound/mod.ts", 'import type { Outbound } from "../../wire.ts";'],
  [
    "server/protocols/chat/outbound/mod.ts",
    'import { shorten } from "../../common/outbound/shorten_name.ts";',
  ],
  ["server/protocols/mod.ts", 'import { chat } from "./chat/outbound/mod.ts";'],
  ["server/billing/pricing/charge.ts", 'import type { Endpoint } from "../../providers/endpoint.ts";'],
  ["server/billing/pricing/charge.ts", 'import { type Endpoint } from "../../providers/endpoint.ts";'],
  ["server/app/app.ts", 'import { Hono } from "hono";'],
  ["server/app/app.ts", 'import { cors } from "hono/cors";'],
  ["server/config/config.ts", 'import { parse } from "jsonc-parser";'],
  ["server/config/config_file.ts", 'import { readFile } from "node:fs/promises";'],
  [
    "server/app/app.ts",
    'import { realWorld } from "../runtime.ts";\nimport { edge } from "../api/request_checks.ts";',
  ],
  ["main.ts", 'import { boot } from "./server/app/start.ts";'],
  ["server/api/app_test.ts", 'import { memory } from "../storage/stores/memory_store.ts";'],
  ["tests/official/openai_test.ts", 'import { boot } from "../../server/app/start.ts";'],
];

const forbidden: readonly (readonly [file: string, source: string, message: RegExp])[] = [
  ["shared/errors.ts", 'import { x } from "../server/runtime.ts";', /^shared may not import runtime$/],
  [
    "server/protocols/canonical/item.ts",
    'import { x } from "../stream/state_machine.ts";',
    /^protocols.canonical may not import protocols.stream$/,
  ],
  [
    "server/protocols/stream/sse.ts",
    'export * from "../wire.ts";',
    /^protocols.stream may not import protocols$/,
  ],
  [
    "server/protocols/stream/sse.ts",
    'import { x } from "../../local_provider/echo.ts";',
    /^protocols.stream may not import local_provider$/,
  ],
  [
    "server/protocols/chat/outbound/mod.ts",
    'import { x } from "../../responses/outbound/mod.ts";',
    /wire chat .* responses/,
  ],
  [
    "server/protocols/common/outbound/shorten_name.ts",
    'import { x } from "../../chat/outbound/mod.ts";',
    /wire common .* chat/,
  ],
  [
    "server/protocols/chat/outbound/mod.ts",
    'import { x } from "../../../runtime.ts";',
    /^protocols may not import runtime$/,
  ],
  ["server/protocols/chat/outbound/mod.ts", 'import { hash } from "node:crypto";', /protocols is pure/],
  ["server/protocols/chat/outbound/mod.ts", "const key = Deno.args[0];", /does not name Deno/],
  ["server/protocols/chat/outbound/mod.ts", 'type T = import("../../wire.ts").T;', /at the top of the file/],
  [
    "server/billing/pricing/charge.ts",
    'import { x } from "../../providers/endpoint.ts";',
    /only types from providers/,
  ],
  [
    "server/billing/pricing/charge.ts",
    'import { type A, b } from "../../providers/endpoint.ts";',
    /only types/,
  ],
  [
    "server/pipeline/request_context.ts",
    'const late = await import("../api/request_checks.ts");',
    /^pipeline may not import api$/,
  ],
  [
    "server/pipeline/stages/call_provider.ts",
    'import { Hono } from "hono";',
    /may not import the package hono/,
  ],
  ["server/pipeline/stages/mod.ts", 'import { x } from "../../app/app.ts";', /composes the modules/],
  ["server/pipeline/stages/mod.ts", 'import { x } from "../../../main.ts";', /composes the modules/],
  [
    "server/local_provider/echo.ts",
    'import { x } from "../pipeline/stages/mod.ts";',
    /^local_provider may not import pipeline$/,
  ],
  ["server/cellar/wine.ts", 'import { x } from "../protocols/canonical/item.ts";', /belongs to no module/],
  ["server/api/app.ts", 'import { x } from "../cellar/wine.ts";', /belongs to no module/],
  ["server/api/app.ts", 'import { fake } from "../../tests/fakes.ts";', /Tests are not imported/],
  ["server/app/app.ts", 'import { fake } from "../api/app_test.ts";', /Tests are not imported/],
  ["server/api/app.ts", 'import { Hono } from "npm:hono";', /import map/],
  ["server/api/app.ts", "const page = await import(name);", /as a string/],
];

Deno.test("module-imports allows what the table allows", () => {
  for (const [file, source] of allowed) assert.deepEqual(complaints(file, source), [], `${file}: ${source}`);
});

Deno.test("module-imports stops every other import", () => {
  for (const [file, source, message] of forbidden) {
    const [first = "nothing was reported"] = complaints(file, source);
    assert.match(first, message, `${file}: ${source}`);
  }
});

Deno.test("the table of modules names only modules and has no cycle", () => {
  const visit = (name: string, path: readonly string[]) => {
    assert.ok(!path.includes(name), `cycle: ${[...path, name].join(" → ")}`);
    const imports = modules[name];
    assert.ok(imports !== undefined, `${name} is named in the table but has no row`);
    for (const next of [...imports.modules ?? [], ...imports.types ?? []]) visit(next, [...path, name]);
  };
  for (const name of Object.keys(modules)) visit(name, []);
});

Deno.test("every folder of the server is a module", async () => {
  const server = new URL("../../server/", import.meta.url);
  for await (const { name, isDirectory } of Deno.readDir(server)) {
    if (isDirectory) assert.notEqual(moduleOf(`server/${name}/x.ts`), undefined, `server/${name} has no row`);
  }
});
