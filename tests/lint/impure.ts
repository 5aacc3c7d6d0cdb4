/** The environment stands in config.ts, the clock and all chance in server/runtime.ts: everywhere else they are handed in. */

import { isMember, type Place, placeOf } from "./place.ts";

/** `server/config/config.ts` or a file of the folder `server/config/`; likewise for the world. */
function isIn(place: Place, room: string): boolean {
  return place.path === `server/${room}.ts` || place.path.startsWith(`server/${room}/`);
}

export const environmentRule: Deno.lint.Rule = {
  create(ctx) {
    const place = placeOf(ctx.filename);
    if (place.test || isIn(place, "config")) return {};
    const message = "The environment is read in server/config/config.ts only";
    return {
      MemberExpression(node) {
        if (
          isMember(node, { object: "Deno", property: "env" }) ||
          isMember(node, { object: "process", property: "env" })
        ) ctx.report({ node, message });
      },
    };
  },
};

/** Members of globals that read the clock or draw chance. */
const members: Readonly<Record<string, readonly string[]>> = {
  Date: ["now"],
  performance: ["now", "timeOrigin"],
  crypto: ["randomUUID", "getRandomValues"],
  Math: ["random"],
  AbortSignal: ["timeout"],
  Temporal: ["Now"],
};

const calls = ["setTimeout", "setInterval", "Date"];
const randomOfNode = ["randomBytes", "randomUUID", "randomInt", "randomFillSync", "randomFill"];

const HINT = "Take `world.clock`, `world.random` or `world.randomToken` as a parameter";

/** The visitor that reports every reading of the clock and every draw of chance. */
function clockVisitor(report: (node: Deno.lint.Node, what: string) => void): Deno.lint.LintVisitor {
  return {
    MemberExpression(node) {
      if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
      const { object, property } = node;
      const listed = Object.hasOwn(members, object.name) ? members[object.name] ?? [] : [];
      if (listed.includes(property.name)) report(node, `${object.name}.${property.name}`);
    },
    CallExpression(node) {
      if (node.callee.type !== "Identifier" || !calls.includes(node.callee.name)) return;
      report(node, node.callee.name);
    },
    NewExpression(node) {
      if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return;
      if (node.arguments.length === 0) report(node, "new Date()");
    },
    ImportDeclaration(node) {
      if (node.source.value !== "node:crypto") return;
      for (const { local } of node.specifiers) {
        if (randomOfNode.includes(local.name)) report(node, local.name);
      }
    },
  };
}

export const clockRule: Deno.lint.Rule = {
  create(ctx) {
    const place = placeOf(ctx.filename);
    if (place.test || place.path.startsWith("console/") || isIn(place, "runtime")) return {};
    return clockVisitor((node, what) =>
      ctx.report({ node, message: `${what} belongs in server/runtime.ts`, hint: HINT })
    );
  },
};

/** Calls of the network by name: outside server/runtime.ts `fetch` is a part of the world. */
export const fetchRule: Deno.lint.Rule = {
  create(ctx) {
    const place = placeOf(ctx.filename);
    if (!place.server || isIn(place, "runtime")) return {};
    const report = (node: Deno.lint.Node) =>
      ctx.report({
        node,
        message: "fetch belongs in server/runtime.ts",
        hint: "Take `world.fetch` as a parameter",
      });
    return {
      CallExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "fetch") report(node);
      },
      MemberExpression(node) {
        if (isMember(node, { object: "globalThis", property: "fetch" })) report(node);
      },
    };
  },
};
