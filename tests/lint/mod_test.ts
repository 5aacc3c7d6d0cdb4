import assert from "node:assert/strict";
import plugin from "./mod.ts";

/** One case: what stands in which file, and how often the rule complains about it. */
interface Case {
  readonly file?: string;
  readonly source: string;
  readonly complaints: number;
}

/** Runs a rule's cases; the file defaults to one of the server. */
function judge(rule: string, cases: readonly Case[]): void {
  for (const { file = "server/api/request_checks.ts", source, complaints } of cases) {
    const found = Deno.lint.runPlugin(plugin, file, source).filter(({ id }) => id === `tollgate/${rule}`);
    assert.equal(found.length, complaints, `${rule} in ${file}: ${source.slice(0, 120)}`);
  }
}

Deno.test("plain-names asks comments of a folder for its own words", () => {
  const file = "server/billing/ledger/journal/group_commit.ts";
  judge("plain-names", [
    { file, source: "/** The block that is written. */", complaints: 1 },
    { file, source: "// It goes with the next group.", complaints: 1 },
    { file, source: "/** One group commit at a time, and what blocked it. */", complaints: 0 },
    { file: "server/billing/ledger/quota/held_quota.ts", source: "// Its share is lost.", complaints: 1 },
    {
      file: "server/billing/rate_limits/rate_limiter.ts",
      source: "// Where processes share a limit.",
      complaints: 0,
    },
    { source: "/** The block that is written. */", complaints: 0 },
  ]);
});

Deno.test("destructured-names refuses a new name where the own one is free", () => {
  judge("destructured-names", [
    { source: "const { context: turn } = state;\nuse(turn);", complaints: 1 },
    { source: "const read = ({ limit: most = 1, name: own }) => most + own;", complaints: 2 },
    { source: "const { context: turn } = state;\nuse(turn, context);", complaints: 0 },
    { source: "const { context: one } = a;\nconst { context } = b;\nuse(one, context);", complaints: 0 },
    { source: "const { context: turn } = state;\nuse(turn.context, { context: turn });", complaints: 1 },
    { source: "const { tool_calls: calls, $ref: ref, d: day, ETag: tag } = body;", complaints: 0 },
    { source: "const { value: page, data: known } = answer;", complaints: 0 },
    { source: "const { context: _, minute: MINUTE, ...rest } = state;", complaints: 0 },
    { file: "tests/a_test.ts", source: "const { context: turn } = state;", complaints: 0 },
  ]);
});

const lines = (count: number) => "const a = 1;\n".repeat(count - 1) + "const b = 2;\n";
const body = (count: number) => `{\n${"  work();\n".repeat(count - 2)}}`;

Deno.test("sizes bounds files", () => {
  judge("sizes", [
    { source: lines(299), complaints: 0 },
    { source: lines(301), complaints: 1 },
    { file: "server/protocols/chat/outbound/response_schema.ts", source: lines(399), complaints: 0 },
    { file: "shared/responses/request.ts", source: lines(401), complaints: 1 },
    { file: "server/api/request_checks_test.ts", source: lines(499), complaints: 0 },
    { file: "tests/official/openai_test.ts", source: lines(501), complaints: 1 },
  ]);
});

Deno.test("sizes bounds functions", () => {
  judge("sizes", [
    { source: `function short() ${body(40)}`, complaints: 0 },
    { source: `function long() ${body(41)}`, complaints: 1 },
    { source: `const long = () => ${body(41)};`, complaints: 1 },
    { source: `class A { long() ${body(41)} }`, complaints: 1 },
    { file: "console/pages/keys.tsx", source: `function Keys() ${body(60)}`, complaints: 0 },
    { file: "console/pages/keys.tsx", source: `function Keys() ${body(61)}`, complaints: 1 },
    { file: "tests/a_test.ts", source: `Deno.test("a", () => ${body(60)});`, complaints: 0 },
  ]);
});

Deno.test("sizes bounds positional parameters", () => {
  judge("sizes", [
    { source: "function f(a: number, b: number) {}", complaints: 0 },
    { source: "function f(a: number, b: number, { c }: Options) {}", complaints: 0 },
    { source: "function f(a: number, b: number, options: Options = {}) {}", complaints: 0 },
    { source: "function f(a: number, b: number, c: number) {}", complaints: 1 },
    { source: "function f(a: number, b: number, c) {}", complaints: 1 },
    { source: "function f(a: A, b: B, c: C, d: D) {}", complaints: 1 },
    { source: "const f = (a: number, b: number, ...rest: number[]) => a;", complaints: 1 },
    { source: "text.replace(pattern, (all, one, two) => one + two);", complaints: 0 },
  ]);
});

Deno.test("env-only-in-config keeps the environment in one file", () => {
  judge("env-only-in-config", [
    { source: 'Deno.env.get("HOME");', complaints: 1 },
    { file: "main.ts", source: "const all = Deno.env.toObject();", complaints: 1 },
    { source: "process.env.HOME;", complaints: 1 },
    { file: "server/config/config.ts", source: 'Deno.env.get("HOME");', complaints: 0 },
    { file: "server/config/main.ts", source: 'Deno.env.get("HOME");', complaints: 0 },
    { file: "tests/doctor_test.ts", source: 'Deno.env.get("HOME");', complaints: 0 },
    { source: "Deno.args;", complaints: 0 },
  ]);
});

Deno.test("clock-only-in-runtime keeps time and chance in one file", () => {
  const impure = [
    "Date.now();",
    "new Date();",
    "new Date;",
    "Date();",
    "performance.now();",
    "setTimeout(run, 5);",
    "setInterval(run, 5);",
    "crypto.randomUUID();",
    "crypto.getRandomValues(bytes);",
    "const seed = Math.random;",
    "AbortSignal.timeout(5);",
    'import { randomBytes } from "node:crypto";',
  ];
  judge("clock-only-in-runtime", [
    ...impure.map((source) => ({ source, complaints: 1 })),
    ...impure.map((source) => ({ file: "server/runtime.ts", source, complaints: 0 })),
    ...impure.map((source) => ({ file: "tests/bench/load.ts", source, complaints: 0 })),
    ...impure.map((source) => ({ file: "console/models/keys/keys.ts", source, complaints: 0 })),
    { source: "new Date(seconds * 1000);", complaints: 0 },
    { source: 'Date.parse("2026-01-01");', complaints: 0 },
    { source: "clearTimeout(timer);", complaints: 0 },
    { source: "world.clock.now();", complaints: 0 },
    { source: 'import { hash } from "node:crypto";', complaints: 0 },
  ]);
});

Deno.test("fetch-only-in-runtime keeps the network in one file", () => {
  judge("fetch-only-in-runtime", [
    { source: "await fetch(url);", complaints: 1 },
    { source: "const call = globalThis.fetch;", complaints: 1 },
    { source: "await world.fetch(url);", complaints: 0 },
    { source: "await app.fetch(request);", complaints: 0 },
    { file: "server/runtime.ts", source: "const call = globalThis.fetch;", complaints: 0 },
    { file: "server/api/request_checks_test.ts", source: "await fetch(url);", complaints: 0 },
  ]);
});

Deno.test("console-pages keeps calls in one file, and markup and style out of pages", () => {
  const file = "console/pages/keys.tsx";
  judge("console-pages", [
    { file, source: "await fetch(url);", complaints: 1 },
    { file, source: "const a = <p dangerouslySetInnerHTML={{ __html: b }} />;", complaints: 1 },
    { file, source: 'const a = <p style="color: red" />;', complaints: 1 },
    { file, source: "node.innerHTML = b;", complaints: 1 },
    { file, source: "const a = <p class={b}>{c}</p>; node.textContent = b; app.fetch();", complaints: 0 },
    { file: "console/api.ts", source: "await fetch(url);", complaints: 0 },
    { file: "server/app/app.ts", source: "node.innerHTML = b;", complaints: 0 },
  ]);
});

Deno.test("no-any-or-bang keeps the type checker awake", () => {
  judge("no-any-or-bang", [
    { source: "let a: " + "any;", complaints: 1 },
    { source: "const a = b!.c;", complaints: 1 },
    { source: "let a!: string;", complaints: 1 },
    { source: "class A { private a!: string; }", complaints: 1 },
    { source: "// @ts-" + "ignore\na();", complaints: 1 },
    { source: "// @ts-" + "expect-error: wrong on purpose\na();", complaints: 1 },
    { file: "tests/a_test.ts", source: "const a = b!.c;", complaints: 1 },
    { source: "let a: unknown; const c = a !== b; const d = !a;", complaints: 0 },
    { source: "class A { a: boolean = !b; c = (d: string) => !d; }", complaints: 0 },
  ]);
});

Deno.test("casts-in-helpers lets casts stand where the name says so", () => {
  judge("casts-in-helpers", [
    { source: "const a = b as string;", complaints: 1 },
    { source: "const a = <string> b;", complaints: 1 },
    { source: "const a = b as unknown as string;", complaints: 1 },
    { source: "function read(b: unknown) { return b as string; }", complaints: 1 },
    { source: "function assign(b: unknown) { return b as string; }", complaints: 1 },
    { source: "function asText(b: unknown) { return b as string; }", complaints: 0 },
    { source: "const toText = (b: unknown) => b as string;", complaints: 0 },
    { source: "const table = { castRow: (b: unknown) => b as Row };", complaints: 0 },
    { source: 'const a = ["x"] as const;', complaints: 0 },
    { source: 'const a = ["x"] as const satisfies readonly string[];', complaints: 0 },
    { source: 'import { a as b } from "./a.ts";', complaints: 0 },
    { file: "server/api/request_checks_test.ts", source: "const a = b as string;", complaints: 0 },
  ]);
});

Deno.test("zod-namespace and no-default-export hold the form of imports and exports", () => {
  judge("zod-namespace", [
    { source: 'import { z } from "zod";', complaints: 1 },
    { source: 'import z from "zod";', complaints: 1 },
    { source: 'import * as z from "zod";', complaints: 0 },
    { source: 'import type * as z from "zod";', complaints: 0 },
  ]);
  judge("no-default-export", [
    { source: "export default 1;", complaints: 1 },
    { source: "const a = 1; export { a as default };", complaints: 1 },
    { source: "export const a = 1;", complaints: 0 },
    { file: "tests/lint/mod.ts", source: "export default 1;", complaints: 0 },
  ]);
});

Deno.test("no-silent-catch asks for the error or a reason", () => {
  judge("no-silent-catch", [
    { source: "try { a(); } catch {" + "}", complaints: 1 },
    { source: "try { a(); } catch { b(); }", complaints: 1 },
    { source: "try { a(); } catch (cause) { b(); }", complaints: 1 },
    { source: "try { a(); } catch (cause) { b.cause = 1; }", complaints: 1 },
    { source: "try { a(); } catch (cause) { throw new Error('b', { cause }); }", complaints: 0 },
    { source: "try { a(); } catch { /* closed already */ }", complaints: 0 },
    { source: "try { a(); } catch {\n  // not there: the default holds\n  b();\n}", complaints: 0 },
    { source: "a().catch(() => {});", complaints: 1 },
    { source: "a().catch(() => undefined);", complaints: 1 },
    { source: "a().catch(() => {\n  // the stream is over: nobody waits for this\n});", complaints: 0 },
    { source: "a().catch((error) => log(error));", complaints: 0 },
  ]);
});

Deno.test("no-pipe-through and suppression-reason ask for a reason", () => {
  judge("no-pipe-through", [
    { source: "a.pipeThrough(new TextDecoderStream());", complaints: 1 },
    { file: "tests/a_test.ts", source: "a.pipeThrough(b);", complaints: 0 },
  ]);
  judge("suppression-reason", [
    { source: "// deno-lint-ignore no-console\na();", complaints: 1 },
    { source: "// deno-lint-ignore-file\na();", complaints: 1 },
    { source: "// deno-lint-ignore no-console -- \na();", complaints: 1 },
    { source: "// deno-lint-ignore tollgate/sizes -- one table, read top to bottom\na();", complaints: 0 },
    { source: "// speaks of deno-lint-ignore in passing\na();", complaints: 0 },
  ]);
});

Deno.test("docstrings asks for a verb or a noun at the beginning", () => {
  judge("docstrings", [
    { source: "/** What a client sends. */\nconst a = 1;", complaints: 1 },
    { source: "/**\n * Of the body, in bytes.\n */\nconst a = 1;", complaints: 1 },
    {
      source: "interface A {\n  /** Those that run. */\n  b: number;\n  /** Who asks. */\n  c: number;\n}",
      complaints: 2,
    },
    { file: "tests/support/a.ts", source: "/** What a test needs. */", complaints: 1 },
    { file: "console/pages/keys.tsx", source: "/** Who is signed in. */", complaints: 1 },
    { source: "/** Length of the body, in bytes. What follows is ignored. */", complaints: 0 },
    { source: "/** Official clients. Whatever comes. */", complaints: 0 },
    { source: "// What comes here is unknown.\n/* Of no use. */", complaints: 0 },
  ]);
});

Deno.test("one-seed keeps the seed and the runs of properties in one place", () => {
  const file = "tests/property/a_test.ts";
  judge("one-seed", [
    { file, source: "fc.assert(property, { numRuns: 5 });", complaints: 1 },
    { file, source: "await fc.check(property);", complaints: 1 },
    { file, source: 'const seed = Number(Deno.env.get("SEED") ?? 5);', complaints: 1 },
    { file, source: "const at = Math.random() * 5;", complaints: 1 },
    { file, source: "assertProperty(property); const at = seeded(seed).next();", complaints: 0 },
    { file: "tests/support/property.ts", source: "fc.assert(property);", complaints: 0 },
    { file: "tests/support/seed.ts", source: 'Deno.env.get("SEED") ?? Math.random();', complaints: 0 },
  ]);
});

Deno.test("kept-promises keeps promises for later callers in one helper", () => {
  judge("kept-promises", [
    { source: "let loading: Promise<Table> | undefined;", complaints: 1 },
    { source: "class A { #kept: Promise<Table> | undefined; }", complaints: 1 },
    { source: "class A { kept?: Promise<Table>; }", complaints: 1 },
    { source: "interface A { kept?: Promise<Table>; }", complaints: 1 },
    { source: "class A { readonly #kept = new Map<string, Promise<Table>>(); }", complaints: 1 },
    { source: "class A { readonly #kept: Map<string, Promise<Table>> = make(); }", complaints: 1 },
    { source: "const kept = new WeakMap<object, Promise<Table>>();", complaints: 1 },
    { file: "tests/support/rig.ts", source: "let loading: Promise<Table> | undefined;", complaints: 0 },
    { file: "shared/util/memo.ts", source: "let loading: Promise<Table> | undefined;", complaints: 0 },
    { source: "const memo = new Memo(load);", complaints: 0 },
    { source: "class A { readonly ended: Promise<void>; }", complaints: 0 },
    { source: "class A { #last: Promise<void> = Promise.resolve(); }", complaints: 0 },
    { source: "interface A { readonly ended?: Promise<void>; }", complaints: 0 },
    { source: "const made = new Map<string, Table>();", complaints: 0 },
    { source: "function f(running: Promise<void> | undefined) {}", complaints: 0 },
  ]);
});

Deno.test("fake-time keeps clocks that need no state to wait for away from what is real", () => {
  const file = "server/billing/ledger/core/ledger_instance_test.ts";
  const memory = "const clock = memoryClock();";
  const stores = "const clock = storeClock(work);";
  const socket = 'import { startGateway } from "../support/gateway.ts";';
  judge("fake-time", [
    { file, source: `${memory} memoryStore();`, complaints: 0 },
    { file, source: `${memory} await Deno.openKv(":memory:");`, complaints: 1 },
    { file, source: `${memory} ${stores} await Deno.openKv(":memory:");`, complaints: 0 },
    { file, source: `${memory} await Deno.makeTempDir();`, complaints: 1 },
    { file, source: `${memory} await sharedPostgres();`, complaints: 1 },
    { file, source: `${stores} await sharedPostgres();`, complaints: 0 },
    { file, source: `${memory} Deno.listen({ port: 0 });`, complaints: 1 },
    { file, source: `${stores} new Worker(url);`, complaints: 1 },
    { file: "tests/http/body_test.ts", source: `${socket} ${memory}`, complaints: 1 },
    { file: "tests/http/body_test.ts", source: `${socket} ${stores}`, complaints: 1 },
    { file: "tests/http/body_test.ts", source: `${socket} const clock = fakeClock();`, complaints: 0 },
    { source: `${memory} Deno.listen({ port: 0 });`, complaints: 0 },
  ]);
});

Deno.test("pauses are those of one module", () => {
  const none = [
    'import { setImmediate } from "node:timers/promises";\nawait setImmediate();',
    'import { setImmediate as turn } from "node:timers";\nturn(run);',
    'import { scheduler } from "node:timers/promises";\nawait scheduler.yield();',
    "setImmediate(run);",
    "globalThis.setImmediate(run);",
    "await scheduler.yield();",
    "setTimeout(run, 0);",
    "setTimeout(run);",
  ];
  judge("pauses", none.map((source) => ({ source, complaints: 1 })));
  judge("pauses", none.map((source) => ({ file: "console/pages/keys.tsx", source, complaints: 1 })));
  judge("pauses", none.map((source) => ({ file: "tests/support/clock.ts", source, complaints: 0 })));
  judge("pauses", [
    { file: "shared/util/pause.ts", source: "const timer = setTimeout(then, 0);", complaints: 0 },
    { source: 'import { pause } from "../../shared/util/pause.ts";\nawait pause();', complaints: 0 },
    { source: "setTimeout(run, 5);", complaints: 0 },
  ]);
});

Deno.test("ended-waits asks each wait for a kept promise in the ledger for its end", () => {
  const file = "server/billing/ledger/journal/group_commit.ts";
  const kept = ["await this.#joining;", "await running;", "await this.#spool?.last;"];
  judge("ended-waits", [
    ...kept.map((source) => ({ file, source, complaints: 1 })),
    ...kept.map((source) => ({ file, source: `// Ends with the clock.\n${source}`, complaints: 0 })),
    ...kept.map((source) => ({ file, source: `// It may take a while.\n${source}`, complaints: 1 })),
    { file, source: "await Promise.all([...waits, this.#flight?.landed.promise]);", complaints: 1 },
    { file, source: "await within(Promise.all([a.promise]), { clock, ms, late });", complaints: 0 },
    { file, source: 'await endStep("spool", { clock, log, work: spool.close() });', complaints: 0 },
    { file, source: "await store.get(key);", complaints: 0 },
    { file, source: "const next = Promise.withResolvers<void>();", complaints: 1 },
    { file, source: "return new Promise((resolve) => clock.after(1, resolve));", complaints: 1 },
    {
      file,
      source: "// Ends with the clock,\n// and at no other time.\nreturn new Promise(run);",
      complaints: 0,
    },
    { file: "server/api/a.ts", source: "await this.#joining;", complaints: 0 },
    { file: "server/billing/ledger/core/a_test.ts", source: "await running;", complaints: 0 },
  ]);
});
