/** Runs Lighthouse on every page: accessibility and best practices at least 95; performance is printed only. */

import assert from "node:assert/strict";
import * as z from "zod";
import { freePort } from "../support/free_port.ts";
import { startGateway } from "../support/gateway.ts";
import { buildConsole } from "./support/built_console.ts";
import { launchChromium } from "./support/chromium.ts";
import { keyOf, openSession, pricedModel, type SessionHolder } from "./support/console_story.ts";
import { hasChromium } from "./support/find_chromium.ts";
import { fillForViews } from "./support/page_views.ts";
import { says, scripted } from "../support/scripted.ts";
import type { AuditJob } from "./lighthouse/job.ts";

const LEAST = 0.95;

const pages: readonly { readonly path: string; readonly session?: SessionHolder }[] = [
  { path: "" },
  { path: "", session: "manager" },
  { path: "/requests", session: "manager" },
  { path: "/keys", session: "manager" },
  { path: "/workspaces", session: "manager" },
  { path: "/guardrails", session: "manager" },
  { path: "/files", session: "manager" },
  { path: "", session: "key holder" },
];

const auditsSchema = z.array(z.object({
  name: z.string(),
  finalUrl: z.string(),
  scores: z.record(z.string(), z.number()),
  failed: z.array(z.string()),
}));

async function audit(job: AuditJob) {
  const folder = new URL("lighthouse/", import.meta.url);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "--allow-all", "audit.ts", JSON.stringify(job)],
    cwd: folder,
    stdin: "null",
    stderr: "inherit",
  }).output();
  assert.ok(success, "Lighthouse has failed");
  return auditsSchema.parse(JSON.parse(new TextDecoder().decode(stdout)));
}

Deno.test({
  name: "Lighthouse gives every page at least 95 for accessibility and best practices",
  ignore: Deno.env.get("TOLLGATE_TEST_ALL") !== "1" || !hasChromium(),
  fn: async () => {
    await buildConsole();
    await using upstream = scripted(says("responses", "Hello from a model that costs something."));
    await using gateway = await startGateway(pricedModel(upstream));
    await fillForViews({ gateway });
    const port = freePort();
    const browser = await launchChromium({ debuggingPort: port });
    try {
      const job = await Promise.all(pages.map(async ({ path, session }) => {
        const name = `${path === "" ? "/" : path} as ${session ?? "nobody"}`;
        const url = `${gateway.url}/console${path}`;
        if (session === undefined) return { name, url };
        const { cookie } = await openSession({ gateway, key: await keyOf(gateway, session) });
        return { name, url, cookie: `${cookie.name}=${cookie.value}` };
      }));
      for (const { name, scores, failed } of await audit({ port, pages: job })) {
        const { accessibility = 0, performance = 0 } = scores;
        const practices = scores["best-practices"] ?? 0;
        console.log(
          `${name}: accessibility ${accessibility}, best practices ${practices}, speed ${performance}`,
        );
        for (const one of failed) console.log(`  ${one}`);
        assert.ok(accessibility >= LEAST && practices >= LEAST, name);
      }
    } finally {
      await browser.close();
    }
  },
});
