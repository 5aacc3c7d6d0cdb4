/** Fake time overtakes nothing real: a clock that needs no state to wait for stands beside no disk, socket or thread. */

import { isMember, placeOf } from "./place.ts";

/** Members of `Deno` that open a socket or a process: a test with one of them may only use `fakeClock`. */
const lines = ["listen", "listenTls", "connect", "connectTls", "serve", "Command"];
/** Members of `Deno` that open a file: a test with one may use `storeClock`, which counts the work on it. */
const disks = ["openKv", "open", "openSync", "create", "makeTempDir", "makeTempDirSync", "makeTempFile"];

/** Test helpers whose every user has sockets, processes or threads. */
const rigs =
  /\/support\/(?:api_rig|call|containers|folder_gateway|gateway|http_server_rig|http_stub|processes|raw|raw_client|s3_server|scripted|tcp_proxy|upstream_rig|upstream_server)\.ts$/;

export const fakeTimeRule: Deno.lint.Rule = {
  create(ctx) {
    const { path, test } = placeOf(ctx.filename);
    if (!test || path.startsWith("tests/support/")) return {};
    const { text } = ctx.sourceCode;
    const [inMemory, onStores] = [/\bmemoryClock\(/.test(text), /\bstoreClock\(/.test(text)];
    if (!inMemory && !onStores) return {};
    const refuse = (node: Deno.lint.Node, hint: string) =>
      ctx.report({ node, message: "This clock overtakes what the file opens", hint });
    const refuseLine = (node: Deno.lint.Node) =>
      refuse(node, "`fakeClock` and its `advanceOnce`, which waits for a state first");
    return {
      ImportDeclaration(node) {
        if (rigs.test(node.source.value)) refuseLine(node);
      },
      MemberExpression(node) {
        if (lines.some((property) => isMember(node, { object: "Deno", property }))) refuseLine(node);
        if (!onStores && disks.some((property) => isMember(node, { object: "Deno", property }))) {
          refuse(node, "`storeClock`, with `countedStore` or `countFiles` of tests/support/real_work.ts");
        }
      },
      NewExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "Worker") refuseLine(node);
      },
      CallExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "sharedPostgres" && !onStores) {
          refuse(node, "`storeClock` with `countedStore` of tests/support/real_work.ts");
        }
      },
    };
  },
};
