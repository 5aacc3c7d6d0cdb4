/** Tells the bundler which shared modules are loaded together. */

import type * as esbuild from "esbuild";
import type { Group } from "./bundle_groups.ts";

const PREFIX = "shared-modules:";

/** Marks a resolution that the plugin has asked for itself. */
const resolving = Symbol("resolving");

interface GroupingInput {
  readonly folder: string;
  readonly pages: readonly string[];
  readonly groups: readonly Group[];
}

/** Gives every module that imports zod the one that has set it up. */
export function zodPlugin(folder: string): esbuild.Plugin {
  const setup = `${folder}zod_setup.ts`;
  return {
    name: "zod",
    setup(build) {
      build.onResolve(
        { filter: /^zod$/ },
        ({ importer, pluginData }) =>
          importer === setup || pluginData === resolving ? undefined : { path: setup },
      );
    },
  };
}

/** Makes each page import its groups whole, so that the bundler finds the same pages behind all of their modules. */
export function groupingPlugin({ folder, pages, groups }: GroupingInput): esbuild.Plugin {
  const importOf = (name: string) => `import ${JSON.stringify(name)};`;
  const shared = new Set(groups.flatMap(({ modules }) => [...modules].map((path) => `${folder}${path}`)));
  return {
    name: "shared modules",
    setup(build) {
      build.onResolve({ filter: /^shared-modules:/ }, ({ path }) => ({ path, namespace: "shared-modules" }));
      build.onLoad({ filter: /./, namespace: "shared-modules" }, ({ path }) => {
        const group = groups[Number(path.slice(PREFIX.length))];
        return {
          contents: [...group?.modules ?? []].map((one) => importOf(`${folder}${one}`)).join("\n"),
          resolveDir: folder,
        };
      });
      // A package may say that importing its modules for nothing does nothing: here it says where they are loaded.
      build.onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
        if (pluginData === resolving || from.kind === "entry-point") return undefined;
        const found = await build.resolve(path, { ...from, pluginData: resolving });
        return shared.has(found.path) ? { path: found.path, sideEffects: true } : undefined;
      });
      build.onLoad({ filter: /\.tsx$/ }, async ({ path }) => {
        const page = path.slice(folder.length);
        if (!pages.includes(page)) return undefined;
        const own = groups.flatMap((group, at) => group.pages.has(page) ? [importOf(`${PREFIX}${at}`)] : []);
        return { contents: `${own.join("")}${await Deno.readTextFile(path)}`, loader: "tsx" };
      });
    },
  };
}
