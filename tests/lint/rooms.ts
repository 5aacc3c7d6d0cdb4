/**
 * Who may import whom: the table of ARCHITECTURE.md, "Who may import whom", as data, and the rule that holds
 * it. Every room may import itself and `shared/`.
 */

import { type Place, placeOf, resolve } from "./place.ts";

/** The doors of one room. */
export interface Doors {
  /** Rooms it may import from. */
  readonly rooms?: readonly string[];
  /** Rooms from which it may import types only. */
  readonly types?: readonly string[];
  /** npm packages it may import besides zod. */
  readonly packages?: readonly string[];
  /** A pure room neither names `Deno` nor imports `node:` modules. */
  readonly pure?: true;
}

/** Rooms by name: a folder of `server/`, `shared`, `console`, or one of the files at the top of `server/`. */
export const rooms: Readonly<Record<string, Doors>> = {
  shared: { pure: true },
  hub: { pure: true },
  stream: { rooms: ["hub"], packages: ["eventsource-parser"], pure: true },
  protocols: { rooms: ["hub", "stream"], pure: true },
  providers: { rooms: ["hub"], types: ["protocols", "config"], pure: true },
  pipeline: { rooms: ["hub", "stream"], types: ["providers", "ledger", "speech"], pure: true },
  world: {},
  log: { types: ["world"] },
  config: { rooms: ["hub"], types: ["world"], packages: ["jsonc-parser"] },
  stores: { types: ["world", "config"], packages: ["postgres"] },
  catalog: { rooms: ["hub", "providers"], types: ["world", "config"] },
  routing: { rooms: ["hub", "providers", "pipeline", "catalog"], types: ["world"] },
  tokenizer: { packages: ["gpt-tokenizer"] },
  local: {
    rooms: ["speech", "stream", "tokenizer"],
    types: ["world"],
    packages: ["@fontsource/pt-sans", "@takumi-rs/wasm", "image-size"],
  },
  http1: { types: ["world"] },
  front: { rooms: ["http1"], types: ["world"] },
  upstream: { rooms: ["hub", "stream", "log", "http1"], types: ["providers", "pipeline", "world"] },
  credentials: { types: ["providers", "upstream", "world"], packages: ["aws4fetch"] },
  stages: {
    rooms: [
      "hub",
      "stream",
      "protocols",
      "providers",
      "pipeline",
      "routing",
      "upstream",
      "credentials",
      "catalog",
      "ledger",
      "limits",
      "log",
      "speech",
      "tokenizer",
    ],
    types: ["world", "config", "admin"],
  },
  ledger: { rooms: ["stores", "log"], types: ["world", "config", "hub"] },
  limits: { rooms: ["stores"], types: ["world"] },
  admin: { rooms: ["stores", "catalog", "ledger"], types: ["world", "config", "providers", "pipeline"] },
  http: {
    rooms: ["front", "hub", "pipeline", "stages", "protocols", "speech", "stream", "admin", "catalog", "log"],
    types: ["world", "config", "providers", "routing", "stores"],
    packages: ["hono", "jsonc-parser"],
  },
  speech: {
    rooms: ["hub", "stream", "protocols"],
    packages: ["mpg123-decoder", "opus-decoder", "wasm-media-encoders"],
  },
  cli: { types: ["world", "config"] },
  console: {},
};

/** The files that put the rooms together; they may import everything, and no room imports them. */
const composers = [
  "main.ts",
  "server/app.ts",
  "server/assemble.ts",
  "server/boot.ts",
  "server/examine.ts",
  "server/permissions.ts",
];

/** The room a path stands in: its name, `""` for a composer, undefined for a folder nobody has named. */
export function roomOf(path: string): string | undefined {
  if (composers.includes(path)) return "";
  const [top = "", second = ""] = path.split("/");
  const name = top === "server" ? second.replace(/\.ts$/, "") : top;
  return Object.hasOwn(rooms, name) ? name : undefined;
}

/** What wires share stands beside them, in a folder that imports none of them. */
const COMMON = "common";

/** `chat` for `server/protocols/chat/outbound.ts`; undefined outside the wires' folders. */
function wireOf(path: string): string | undefined {
  return /^server\/protocols\/([^/]+)\//.exec(path)?.[1];
}

/** An import as it is judged: the specifier as written, and whether it brings in nothing but types. */
interface Import {
  readonly specifier: string;
  readonly typesOnly: boolean;
}

/** What is wrong with an import of another file of the tree; undefined when nothing is. */
function judgeFile(from: Place, target: string, { typesOnly }: Import): string | undefined {
  const own = roomOf(from.path);
  const theirs = roomOf(target);
  if (placeOf(target).test) return "Tests are not imported from outside";
  if (own === "") return undefined;
  if (own === undefined) return `${from.path} stands in no room: name its folder in tests/lint/rooms.ts`;
  if (theirs === undefined) return `${target} stands in no room: name its folder in tests/lint/rooms.ts`;
  if (theirs === "") return `${target} puts the rooms together: no room imports it`;
  if (theirs === "shared") return undefined;
  if (theirs === own) return judgeWires(from.path, target);
  const doors = rooms[own] ?? {};
  if (doors.rooms?.includes(theirs)) return undefined;
  if (!doors.types?.includes(theirs)) return `${own} may not import ${theirs}`;
  return typesOnly ? undefined : `${own} may import only types from ${theirs}`;
}

function judgeWires(from: string, target: string): string | undefined {
  const own = wireOf(from);
  const theirs = wireOf(target);
  if (own === undefined || theirs === undefined || own === theirs || theirs === COMMON) return undefined;
  return `The wire ${own} may not import the wire ${theirs}`;
}

function judgePackage(from: Place, specifier: string): string | undefined {
  const own = roomOf(from.path);
  const doors = rooms[own ?? ""] ?? {};
  if (/^(https?|jsr|npm):/.test(specifier)) return "Packages are named in the import map, never by address";
  if (specifier.startsWith("node:")) {
    return doors.pure ? `${own} is pure: it imports no node: module` : undefined;
  }
  const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  if (own === "" || name === "zod" || doors.packages?.includes(name)) return undefined;
  return `${own ?? from.path} may not import the package ${name}`;
}

/** What is wrong with one import of a file that is no test; undefined when nothing is. */
function judge(from: Place, wanted: Import): string | undefined {
  const target = resolve(from.path, wanted.specifier);
  return target === undefined ? judgePackage(from, wanted.specifier) : judgeFile(from, target, wanted);
}

function isTypesOnly(node: Deno.lint.ImportDeclaration): boolean {
  if (node.importKind === "type") return true;
  return node.specifiers.length > 0 &&
    node.specifiers.every((one) => one.type === "ImportSpecifier" && one.importKind === "type");
}

/** Holds the table above. Tests may import whatever they test. */
export const roomsRule: Deno.lint.Rule = {
  create(ctx) {
    const from = placeOf(ctx.filename);
    if (from.test) return {};
    const look = (node: Deno.lint.Node, source: Deno.lint.Node, { typesOnly = false } = {}) => {
      if (source.type !== "Literal" || typeof source.value !== "string") {
        return ctx.report({ node, message: "Imports name their file as a string" });
      }
      const message = judge(from, { specifier: source.value, typesOnly });
      if (message !== undefined) ctx.report({ node, message, hint: "ARCHITECTURE.md, Who may import whom" });
    };
    const { pure } = rooms[roomOf(from.path) ?? ""] ?? {};
    return {
      ImportDeclaration: (node) => look(node, node.source, { typesOnly: isTypesOnly(node) }),
      ExportAllDeclaration: (node) => look(node, node.source, { typesOnly: node.exportKind === "type" }),
      ExportNamedDeclaration(node) {
        if (node.source !== null) look(node, node.source, { typesOnly: node.exportKind === "type" });
      },
      ImportExpression: (node) => look(node, node.source),
      TSImportType: (node) => ctx.report({ node, message: "Types are imported at the top of the file" }),
      'MemberExpression[object.name="Deno"]'(node: Deno.lint.Node) {
        if (pure) ctx.report({ node, message: "This room is pure: it does not name Deno" });
      },
    };
  },
};
