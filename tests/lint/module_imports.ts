/**
 * Import rules: the table of ARCHITECTURE.md, "Import rules", as data, and the rule that holds
 * it. Every module may import itself and `shared/`.
 */

import { type Place, placeOf, resolve } from "./place.ts";

/** Imports that one module may have. */
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
 * Modules by name: a folder below `server/`, at any depth, a file at its top, `shared` or `console`. A path belongs to
 * the module with the longest name.
 */
export const modules: Readonly<Record<string, ModuleImports>> = {
  shared: { pure: true },
  runtime: {},
  one_shot_signal: {},
  logger: { modules: ["runtime"] },
  config: { modules: ["protocols/canonical"], types: ["runtime"], packages: ["jsonc-parser", "leven"] },
  "protocols/canonical": { pure: true },
  "protocols/stream": { packages: ["eventsource-parser"], pure: true },
  protocols: { modules: ["protocols/canonical", "protocols/stream"], pure: true },
  providers: {
    types: ["config", "protocols", "protocols/canonical", "runtime"],
    packages: ["leven"],
    pure: true,
  },
  "providers/credentials": { types: ["providers", "providers/upstream", "runtime"], packages: ["aws4fetch"] },
  "providers/upstream": {
    modules: ["http", "protocols/stream"],
    types: ["config", "one_shot_signal", "protocols/canonical", "runtime"],
  },
  http: { types: ["runtime"] },
  metrics: { pure: true },
  overload: { types: ["runtime"] },
  tracing: { modules: ["metrics"], types: ["pipeline", "runtime"], packages: ["@opentelemetry/api"] },
  storage: {
    modules: ["config"],
    types: ["runtime"],
    packages: ["aws4fetch", "fast-xml-parser", "magic-bytes.js", "postgres"],
  },
  billing: { modules: ["storage"], types: ["runtime"], packages: ["gpt-tokenizer"] },
  "billing/pricing": {
    modules: ["protocols/canonical"],
    types: ["billing", "providers", "speech"],
    pure: true,
  },
  speech: {
    modules: ["protocols", "protocols/stream"],
    types: ["protocols/canonical"],
    packages: ["mpg123-decoder", "opus-decoder", "wasm-media-encoders"],
  },
  sandbox: {
    modules: ["http", "runtime", "storage"],
    types: ["config", "providers/upstream"],
    packages: ["just-bash", "modern-tar", "pyodide"],
  },
  web: {
    modules: ["billing", "providers/upstream", "runtime", "sandbox"],
    types: ["config", "http", "protocols/canonical", "providers"],
    packages: [
      "@joplin/turndown-plugin-gfm",
      "@modelcontextprotocol/client",
      "@mozilla/readability",
      "css-tree",
      "culori",
      "fast-xml-parser",
      "fflate",
      "jschardet",
      "linkedom",
      "numfmt",
      "turndown",
      "unpdf",
    ],
  },
  "pipeline/guardrails": {
    modules: ["protocols/canonical"],
    packages: ["@eslint-community/regexpp", "jsonc-parser"],
    pure: true,
  },
  pipeline: {
    modules: [
      "billing",
      "billing/pricing",
      "logger",
      "one_shot_signal",
      "pipeline/guardrails",
      "protocols",
      "protocols/canonical",
      "protocols/stream",
      "providers",
      "providers/credentials",
      "providers/upstream",
      "sandbox",
      "speech",
      "web",
    ],
    types: ["runtime"],
    packages: ["@cfworker/json-schema", "jsonrepair", "minisearch"],
  },
  management: {
    modules: ["billing", "metrics", "pipeline/guardrails", "sandbox", "storage"],
    types: ["pipeline", "protocols/canonical", "providers", "runtime", "web"],
  },
  api: {
    modules: [
      "billing/pricing",
      "http",
      "management",
      "metrics",
      "one_shot_signal",
      "pipeline",
      "protocols",
      "protocols/stream",
      "providers",
      "speech",
      "storage",
    ],
    types: ["config", "protocols/canonical", "runtime"],
    packages: ["@fastify/busboy", "@modelcontextprotocol/server", "content-disposition", "jsonc-parser"],
  },
  local_provider: {
    modules: ["billing", "http", "protocols/stream", "speech"],
    types: ["runtime"],
    packages: ["@fontsource/pt-sans", "@takumi-rs/wasm", "image-size"],
  },
  cli: { modules: ["config"], types: ["runtime"] },
  console: { packages: ["preact", "@preact/signals", "esbuild", "marked"] },
};

/** The folder that puts the modules together: it may import everything, and no module imports it. */
const COMPOSERS = "server/app/";

/** The module a path belongs to: its name, `""` for a composer, undefined for a folder nobody has named. */
export function moduleOf(path: string): string | undefined {
  if (path === "main.ts" || path.startsWith(COMPOSERS)) return "";
  const parts = path.replace(/^server\//, "").replace(/\.tsx?$/, "").split("/");
  for (let length = parts.length; length > 0; length--) {
    const name = parts.slice(0, length).join("/");
    if (Object.hasOwn(modules, name)) return name;
  }
  return undefined;
}

/** Folder of what wires share; it imports none of them. */
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

/** Judges an import of another file of the tree; undefined when nothing is wrong. */
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

/** Judges one import of a file that is no test; undefined when nothing is wrong. */
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
