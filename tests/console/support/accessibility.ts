/**
 * Accessibility by axe-core. The console's policy refuses scripts that a page did not bring, so axe runs in a world
 * of its own, which the browser's protocol makes: it sees the page, and the policy stays in force for everything else.
 */

import assert from "node:assert/strict";
import axe from "axe-core";
import type { CDPSession, Page } from "playwright-core";
import * as z from "zod";

const violationSchema = z.object({
  id: z.string(),
  impact: z.string().nullish(),
  help: z.string(),
  helpUrl: z.string(),
  nodes: z.array(z.object({ target: z.array(z.unknown()), html: z.string(), failureSummary: z.string() })),
});
type Violation = Readonly<z.infer<typeof violationSchema>>;

const reportSchema = z.object({ violations: z.array(violationSchema), passes: z.number() });

const run = "axe.run(document).then(({ violations, passes }) => " +
  "JSON.stringify({ violations, passes: passes.length }))";

/** The value of an expression in a world. Throws with the page's own error. */
async function evaluate(devtools: CDPSession, contextId: number, { expression }: { expression: string }) {
  const { result, exceptionDetails } = await devtools.send("Runtime.evaluate", {
    expression,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails === undefined) return String(result.value);
  throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
}

/** The way to each page's world: the browser gives the same one again, until the page is another. */
const sessions = new WeakMap<Page, CDPSession>();

async function sessionOf(page: Page): Promise<CDPSession> {
  const known = sessions.get(page);
  if (known !== undefined) return known;
  const made = await page.context().newCDPSession(page);
  sessions.set(page, made);
  return made;
}

async function violationsOf(page: Page): Promise<readonly Violation[]> {
  const devtools = await sessionOf(page);
  const { frameTree } = await devtools.send("Page.getFrameTree");
  const { executionContextId } = await devtools.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "accessibility",
  });
  const loaded = await evaluate(devtools, executionContextId, { expression: "typeof axe" });
  if (loaded === "undefined") {
    await evaluate(devtools, executionContextId, { expression: `${axe.source}; "loaded"` });
  }
  const text = await evaluate(devtools, executionContextId, { expression: run });
  const { violations, passes } = reportSchema.parse(JSON.parse(text));
  assert(passes > 0, "axe has found something to check");
  return violations;
}

/** Rule, element and what mends it, one below the other. */
function describe({ id, impact, help, helpUrl, nodes }: Violation): string {
  const elements = nodes.map(({ target, html, failureSummary }) =>
    [`  ${target.join(" ")}`, html, ...failureSummary.split("\n")].join("\n    ")
  );
  return [`${id} (${impact ?? "no impact stated"}): ${help}, ${helpUrl}`, ...elements].join("\n");
}

/** Throws unless axe finds nothing on the page as it stands. */
export async function assertAccessible(page: Page): Promise<void> {
  const violations = await violationsOf(page);
  if (violations.length === 0) return;
  assert.fail(`${page.url()} is not accessible:\n${violations.map(describe).join("\n")}`);
}
