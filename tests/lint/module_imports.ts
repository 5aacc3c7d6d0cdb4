/**
 * Import rules: the table of ARCHITECTURE.md, "Import rules", as data, and the rule that holds
 * it. Every module may import itself and `shared/`.
 */

import { type Place, placeOf, resolve } from "./place.ts";

/** What one module may import. */
export interface ModuleImports {
  /** Modules it may import from. */
  readonly modules?: readonly string[];
  /** Modules from which it may import types only. */
  readonly types?: readonly string[];
  /** npm packages it may import besides zod. */
  readonly packages?: readonly string[];
  /** A pure module neither names `Deno` nor imports `node:` modules. */
  readonly pure?: true;
}

/**
 * Modules by name: a folder of `server/`, `shared`, `console`, or one of the files at the top of `server/`. The folder
 * `server/api/console`, which serves what `console` is, goes by its path.
 */
export const modules: Readonly<Record<string, ModuleImports>> = {
  shared: { pure: true },
  runtime: {},
  logger: { types: ["runtime"] },
  config: { modules: ["canonical"], types: ["runtime"], packages: ["jsonc-parser", "leven"] },
  canonical: { pure: true },
  stream: { packages: ["eventsource-parser"], pure: true },
  protocols: { modules: ["canonical", "stream"], pure: true },
  providers: { types: ["canonical", "config", "protocols"], pure: true },
  catalog: { modules: ["providers"], types: ["canonical", "config", "runtime"], packages: ["leven"] },
  speech: {
    modules: ["protocols", "stream"],
    types: ["canonical"],
    packages: ["mpg123-decoder", "opus-decoder", "wasm-media-encoders"],
  },
  stores: { types: ["config", "runtime"], packages: ["postgres"] },
  blobs: { modules: ["config"], packages: ["aws4fetch", "fast-xml-parser"], types: ["runtime"] },
  files: { modules: ["blobs", "stores"], types: ["runtime"], packages: ["magic-bytes.js"] },
  ledger: { modules: ["stores"], types: ["runtime"] },
  rate_limits: { modules: ["stores"], types: ["runtime"] },
  pricing: { modules: ["canonical"], types: ["ledger", "providers", "speech", "tokenizer"], pure: true },
  pipeline: {
    types: ["canonical", "guardrails", "ledger", "pricing", "providers", "speech", "stream"],
    pure: true,
  },
  routing: { modules: ["pricing", "providers", "canonical"], types: ["pipeline", "runtime"] },
  documents: {},
  tokenizer: { packages: ["gpt-tokenizer"] },
  http1: { types: ["runtime"] },
  http_server: { modules: ["http1"], types: ["runtime"] },
  upstream: { modules: ["http1", "stream"], types: ["canonical", "config", "pipeline", "runtime"] },
  fetch: { modules: ["upstream"], types: ["config", "http1", "runtime"] },
  search: { types: ["canonical", "runtime", "upstream"], pure: true },
  keeper: { modules: ["runtime"] },
  reader: {
    modules: ["keeper", "runtime"],
    packages: [
      "@joplin/turndown-plugin-gfm",
      "@mozilla/readability",
      "css-tree",
      "culori",
      "jschardet",
      "linkedom",
      "turndown",
      "unpdf",
    ],
  },
  sandbox: { modules: ["keeper", "runtime"], types: ["config"], packages: ["just-bash", "pyodide"] },
  containers: { modules: ["blobs", "files", "sandbox", "stores"], types: ["config", "runtime"] },
  guardrails: {
    modules: ["canonical"],
    packages: ["@eslint-community/regexpp", "jsonc-parser"],
    pure: true,
  },
  credentials: { types: ["providers", "runtime", "upstream"], packages: ["aws4fetch"] },
  tools: {
    modules: ["canonical", "containers", "fetch", "protocols", "reader", "search"],
    types: ["pipeline", "providers", "runtime"],
    packages: ["minisearch"],
  },
  stages: {
    modules: [
      "canonical",
      "credentials",
      "documents",
      "guardrails",
      "ledger",
      "logger",
      "pipeline",
      "pricing",
      "providers",
      "rate_limits",
      "routing",
      "speech",
      "stream",
      "upstream",
      "tokenizer",
      "tools",
    ],
    types: ["protocols", "runtime"],
  },
  management: {
    modules: ["blobs", "containers", "files", "guardrails", "ledger", "stores"],
    types: ["canonical", "pipeline", "providers", "reader", "runtime"],
  },
  api: {
    modules: ["catalog", "http_server", "management", "pipeline", "pricing", "protocols", "speech", "stream"],
    types: ["canonical", "config", "providers", "routing", "runtime", "stages"],
    packages: ["@fastify/busboy", "content-disposition", "jsonc-parser"],
  },
  "server/api/console": {
    modules: ["api", "http_server", "management", "stores"],
    types: ["runtime"],
  },
  local_provider: {
    modules: ["http_server", "speech", "stream", "tokenizer"],
    types: ["runtime"],
    packages: ["@fontsource/pt-sans", "@takumi-rs/wasm", "image-size"],
  },
  cli: { types: ["config", "runtime"] },
  console: { packages: ["preact", "@preact/signals", "esbuild"] },
};

/** The files that compose the modules; they may import everything, and no module imports them. */
const composers = [
  "main.ts",
  "server/app/app.ts",
  "server/app/compose/console.ts",
  "server/app/compose/web.ts",
  "server/app/compose/containers.ts",
  "server/app/compose/files.ts",
  "server/app/compose/callers.ts",
  "server/app/compose/external.ts",
  "server/app/compose/guardrails.ts",
  "server/app/compose/tools.ts",
  "server/app/composition.ts",
  "server/app/start.ts",
  "server/app/gateway_server.ts",
  "server/app/cleanup_stack.ts",
  "server/app/stop_signals.ts",
  "server/app/doctor.ts",
  "server/app/setup.ts",
  "server/app/setup_python.ts",
  "server/app/setup_steps.ts",
  "server/app/permissions.ts",
];

/** The module a path belongs to: its name, `""` for a composer, undefined for a folder nobody has named. */
export function moduleOf(path: string): string | undefined {
  if (composers.includes(path)) return "";
  const [top = "", second = ""] = path.split("/");
  const name = top !== "server"
    ? top
    : second === "console"
    ? "server/api/console"
    : second.replace(/\.ts$/, "");
  return Object.hasOwn(modules, name) ? name : undefined;
}

/** What wires share stands beside them, in a folder that imports none of them. */
const COMMON = "common";

/** `chat` for `server/protocols/chat/outbound/mod.ts`; undefined outside the wires' folders. */
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
  const own = moduleOf(from.path);
  const theirs = moduleOf(target);
  if (placeOf(target).test) return "Tests are not imported from outside";
  if (own === "") return undefined;
  if (own === undefined) {
    return `${from.path} belongs to no module: name its folder in tests/lint/module_imports.ts`;
  }
  if (theirs === undefined) {
    return `${target} belongs to no module: name its folder in tests/lint/module_imports.ts`;
  }
  if (theirs === "") return `${target} composes the modules: no module imports it`;
  if (theirs === "shared") return undefined;
  if (theirs === own) return judgeWires(from.path, target);
  const imports = modules[own] ?? {};
  if (imports.modules?.includes(theirs)) return undefined;
  if (!imports.types?.includes(theirs)) return `${own} may not import ${theirs}`;
  return typesOnly ? undefined : `${own} may import only types from ${theirs}`;
}

function judgeWires(from: string, target: string): string | undefined {
  const own = wireOf(from);
  const theirs = wireOf(target);
  if (own === undefined || theirs === undefined || own === theirs || theirs === COMMON) return undefined;
  return `The wire ${own} may not import the wire ${theirs}`;
}

function judgePackage(from: Place, specifier: string): string | undefined {
  const own = moduleOf(from.path);
  const imports = modules[own ?? ""] ?? {};
  if (/^(https?|jsr|npm):/.test(specifier)) return "Packages are named in the import map, never by address";
  if (specifier.startsWith("node:")) {
    return imports.pure ? `${own} is pure: it imports no node: module` : undefined;
  }
  const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  if (own === "" || name === "zod" || imports.packages?.includes(name)) return undefined;
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
export const moduleImportsRule: Deno.lint.Rule = {
  create(ctx) {
    const from = placeOf(ctx.filename);
    if (from.test) return {};
    const look = (node: Deno.lint.Node, source: Deno.lint.Node, { typesOnly = false } = {}) => {
      if (source.type !== "Literal" || typeof source.value !== "string") {
        return ctx.report({ node, message: "Imports name their file as a string" });
      }
      const message = judge(from, { specifier: source.value, typesOnly });
      if (message !== undefined) ctx.report({ node, message, hint: "ARCHITECTURE.md, Import rules" });
    };
    const { pure } = modules[moduleOf(from.path) ?? ""] ?? {};
    return {
      ImportDeclaration: (node) => look(node, node.source, { typesOnly: isTypesOnly(node) }),
      ExportAllDeclaration: (node) => look(node, node.source, { typesOnly: node.exportKind === "type" }),
      ExportNamedDeclaration(node) {
        if (node.source !== null) look(node, node.source, { typesOnly: node.exportKind === "type" });
      },
      ImportExpression: (node) => look(node, node.source),
      TSImportType: (node) => ctx.report({ node, message: "Types are imported at the top of the file" }),
      MemberExpression(node) {
        if (!pure || node.object.type !== "Identifier" || node.object.name !== "Deno") return;
        ctx.report({ node, message: "This module is pure: it does not name Deno" });
      },
    };
  },
};
