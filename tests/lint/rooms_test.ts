import assert from "node:assert/strict";
import plugin from "./mod.ts";
import { roomOf, rooms } from "./rooms.ts";

/** Messages of the rule `rooms` for one line of source in one file. */
function complaints(file: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, file, source)
    .filter(({ id }) => id === "tollgate/rooms")
    .map(({ message }) => message);
}

const allowed: readonly (readonly [file: string, source: string])[] = [
  ["shared/responses/request.ts", 'import * as z from "zod";'],
  ["server/hub/item.ts", 'import type { ErrorType } from "../../shared/errors.ts";'],
  ["server/hub/event.ts", 'import type { Item } from "./item.ts";'],
  ["server/stream/sse.ts", 'import { createParser } from "eventsource-parser";'],
  ["server/protocols/chat/outbound.ts", 'import { byType } from "../../stream/machine.ts";'],
  ["server/protocols/chat/outbound.ts", 'import type { Outbound } from "../wire.ts";'],
  ["server/protocols/chat/outbound.ts", 'import { shorten } from "../common/shorten.ts";'],
  ["server/protocols/mod.ts", 'import { chat } from "./chat/outbound.ts";'],
  ["server/pipeline/turn.ts", 'import type { Endpoint } from "../providers/endpoint.ts";'],
  ["server/pipeline/turn.ts", 'import { type Endpoint } from "../providers/endpoint.ts";'],
  ["server/http/app.ts", 'import { Hono } from "hono";'],
  ["server/http/app.ts", 'import { cors } from "hono/cors";'],
  ["server/config.ts", 'import { parse } from "jsonc-parser";'],
  ["server/config/file.ts", 'import { readFile } from "node:fs/promises";'],
  ["server/app.ts", 'import { realWorld } from "./world.ts";\nimport { edge } from "./http/app.ts";'],
  ["main.ts", 'import { boot } from "./server/boot.ts";'],
  ["server/http/app_test.ts", 'import { memory } from "../stores/memory.ts";'],
  ["tests/official/openai_test.ts", 'import { boot } from "../../server/boot.ts";'],
];

const forbidden: readonly (readonly [file: string, source: string, message: RegExp])[] = [
  ["shared/errors.ts", 'import { x } from "../server/world.ts";', /^shared may not import world$/],
  ["server/hub/item.ts", 'import { x } from "../stream/machine.ts";', /^hub may not import stream$/],
  ["server/stream/sse.ts", 'export * from "../protocols/wire.ts";', /^stream may not import protocols$/],
  ["server/stream/sse.ts", 'import { x } from "../local/echo.ts";', /^stream may not import local$/],
  [
    "server/protocols/chat/outbound.ts",
    'import { x } from "../responses/schema.ts";',
    /wire chat .* responses/,
  ],
  [
    "server/protocols/common/shorten.ts",
    'import { x } from "../chat/outbound.ts";',
    /wire common .* chat/,
  ],
  [
    "server/protocols/chat/outbound.ts",
    'import { x } from "../../world.ts";',
    /^protocols may not import world$/,
  ],
  ["server/protocols/chat/outbound.ts", 'import { hash } from "node:crypto";', /protocols is pure/],
  ["server/protocols/chat/outbound.ts", "const key = Deno.args[0];", /does not name Deno/],
  ["server/protocols/chat/outbound.ts", 'type T = import("../wire.ts").T;', /at the top of the file/],
  ["server/pipeline/turn.ts", 'import { x } from "../providers/endpoint.ts";', /only types from providers/],
  ["server/pipeline/turn.ts", 'import { type A, b } from "../providers/endpoint.ts";', /only types/],
  [
    "server/pipeline/turn.ts",
    'const late = await import("../http/app.ts");',
    /^pipeline may not import http$/,
  ],
  ["server/stages/call.ts", 'import { Hono } from "hono";', /may not import the package hono/],
  ["server/stages/mod.ts", 'import { x } from "../app.ts";', /puts the rooms together/],
  ["server/stages/mod.ts", 'import { x } from "../../main.ts";', /puts the rooms together/],
  ["server/local/echo.ts", 'import { x } from "../stages/mod.ts";', /^local may not import stages$/],
  ["server/cellar/wine.ts", 'import { x } from "../hub/item.ts";', /stands in no room/],
  ["server/http/app.ts", 'import { x } from "../cellar/wine.ts";', /stands in no room/],
  ["server/http/app.ts", 'import { fake } from "../../tests/fakes.ts";', /Tests are not imported/],
  ["server/app.ts", 'import { fake } from "./http/app_test.ts";', /Tests are not imported/],
  ["server/http/app.ts", 'import { Hono } from "npm:hono";', /import map/],
  ["server/http/app.ts", "const page = await import(name);", /as a string/],
];

Deno.test("rooms lets a room through the doors it has", () => {
  for (const [file, source] of allowed) assert.deepEqual(complaints(file, source), [], `${file}: ${source}`);
});

Deno.test("rooms stops every other import", () => {
  for (const [file, source, message] of forbidden) {
    const [first = "nothing was reported"] = complaints(file, source);
    assert.match(first, message, `${file}: ${source}`);
  }
});

Deno.test("the table of rooms names only rooms and has no cycle", () => {
  const visit = (room: string, path: readonly string[]) => {
    assert.ok(!path.includes(room), `cycle: ${[...path, room].join(" → ")}`);
    const doors = rooms[room];
    assert.ok(doors !== undefined, `${room} is named in the table but has no row`);
    for (const next of [...doors.rooms ?? [], ...doors.types ?? []]) visit(next, [...path, room]);
  };
  for (const room of Object.keys(rooms)) visit(room, []);
});

Deno.test("every folder of the server is a room", async () => {
  const server = new URL("../../server/", import.meta.url);
  for await (const { name, isDirectory } of Deno.readDir(server)) {
    if (isDirectory) assert.notEqual(roomOf(`server/${name}/x.ts`), undefined, `server/${name} has no row`);
  }
});
