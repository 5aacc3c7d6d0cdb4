import assert from "node:assert/strict";
import type { CacheBreakpoint, JsonObject } from "../../canonical/item.ts";
import { renderCacheControl, type RenderedBlock } from "./render_parts.ts";
import { type CacheInput, limitBreakpoints } from "./render_cache.ts";

/** `1h`, `5m`, or `-` for a block without a breakpoint. */
const block = (mark: string): RenderedBlock => ({
  type: "text",
  text: mark,
  ...(mark === "-" ? {} : renderCacheControl({ ttl: mark })),
});
const blocks = (marks: string) => marks.split(" ").filter((mark) => mark !== "").map(block);

function markOf({ cache_control: control }: JsonObject): string {
  if (typeof control !== "object" || control === null) return "-";
  return "ttl" in control && control.ttl === "1h" ? "1h" : "5m";
}

interface Case {
  readonly tools?: string;
  readonly system?: string;
  readonly user?: string;
  readonly automatic?: CacheBreakpoint;
}

function limited({ tools = "", system = "", user = "", automatic }: Case) {
  const notes: string[] = [];
  const input: CacheInput = {
    tools: blocks(tools),
    system: blocks(system),
    messages: [{ role: "user", content: blocks(user) }],
    automatic,
  };
  const out = limitBreakpoints(input, (words) => void notes.push(words));
  const show = (list: readonly JsonObject[]) => list.map(markOf).join(" ");
  const shown = [show(out.tools), show(out.system), show(out.messages.flatMap(({ content }) => content))]
    .join("|");
  return { shown, automatic: out.automatic, notes };
}

const late = "cache_control.ttl 1h behind 5m";
const cases: readonly (readonly [string, Case, object])[] = [
  ["keeps four", { tools: "5m", system: "5m", user: "5m - 5m" }, { shown: "5m|5m|5m - 5m" }],
  ["keeps the last four of six", { tools: "5m", system: "5m 5m", user: "5m 5m 5m" }, {
    shown: "-|- 5m|5m 5m 5m",
    notes: ["2 cache_control"],
  }],
  ["counts the request's own", { system: "5m 5m", user: "5m 5m -", automatic: {} }, {
    shown: "|- 5m|5m 5m -",
    automatic: {},
    notes: ["1 cache_control"],
  }],
  ["needs no own one behind a block that has one", {
    system: "5m 5m",
    user: "5m 5m",
    automatic: { ttl: "1h" },
  }, {
    shown: "|5m 5m|5m 5m",
  }],
  ["lets hours stand before minutes", { system: "1h", user: "1h 5m" }, { shown: "|1h|1h 5m" }],
  ["shortens an hour behind minutes", { system: "5m", user: "1h -" }, { shown: "|5m|5m -", notes: [late] }],
  ["shortens the request's own hour behind minutes", { system: "5m", user: "-", automatic: { ttl: "1h" } }, {
    shown: "|5m|-",
    automatic: {},
    notes: [late],
  }],
  ["lets the request's own hour stand behind hours", { system: "1h", user: "-", automatic: { ttl: "1h" } }, {
    shown: "|1h|-",
    automatic: { ttl: "1h" },
  }],
  ["judges only what stays", { system: "5m 1h", user: "1h 1h 1h" }, {
    shown: "|- 1h|1h 1h 1h",
    notes: ["1 cache_control"],
  }],
];

Deno.test("limitBreakpoints", async (t) => {
  for (const [name, input, expected] of cases) {
    await t.step(name, () => {
      assert.deepEqual(limited(input), { automatic: undefined, notes: [], ...expected });
    });
  }
});

Deno.test("renderCacheControl knows two lifetimes", () => {
  assert.deepEqual(renderCacheControl({ ttl: "1h" }), { cache_control: { type: "ephemeral", ttl: "1h" } });
  assert.deepEqual(renderCacheControl({ ttl: "24h" }), { cache_control: { type: "ephemeral" } });
  assert.deepEqual(renderCacheControl(undefined), {});
});
