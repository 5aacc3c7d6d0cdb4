/** How modules are imported and exported. */

/** `import { z } from "zod"` puts every locale into the console's bundle; the namespace form is shaken. */
export const zodRule: Deno.lint.Rule = {
  create(ctx) {
    return {
      ImportDeclaration(node) {
        if (node.source.value !== "zod") return;
        if (node.specifiers.every((one) => one.type === "ImportNamespaceSpecifier")) return;
        ctx.report({ node, message: 'zod is imported as `import * as z from "zod"`' });
      },
    };
  },
};

/** Files whose default export is their tool's interface. */
const TOOLS = /(^|\/)tests\/lint\/mod\.ts$/;

export const defaultExportRule: Deno.lint.Rule = {
  create(ctx) {
    if (TOOLS.test(ctx.filename)) return {};
    const message = "No default exports: a thing has one name everywhere";
    return {
      ExportDefaultDeclaration: (node) => ctx.report({ node, message }),
      ExportSpecifier(node) {
        if (node.exported.type === "Identifier" && node.exported.name === "default") {
          ctx.report({ node, message });
        }
      },
    };
  },
};
