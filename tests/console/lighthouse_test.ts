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

interface AuditedPage {
  readonly path: string;
  readonly session?: SessionHolder;
}

const pages: readonly AuditedPage[] = [
  { path: "" },
  { path: "", session: "manager" },
  { path: "/requests", session: "manager" },
  { path: "/keys", session: "manager" },
  { path: "/workspaces", session: "manager" },
  { path: "/guardrails", session: "manager" },
  { path: "/files", session: "manager" },
  { path: "/presets", session: "manager" },
  { path: "/tags", session: "manager" },
  { path: "/byok", session: "manager" },
  { path: "/clients", session: "manager" },
  { path: "/models", session: "manager" },
  { path: "/playground", session: "manager" },
  { path: "/api", session: "manager" },
  { path: "/audit", session: "manager" },
  { path: "/destinations", session: "manager" },
  { path: "/settings", session: "manager" },
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

const nameOf = ({ path, session }: AuditedPage) => `${path === "" ? "/" : path} as ${session ?? "nobody"}`;

async function auditPages(pages: readonly AuditedPage[]): Promise<void> {
  await buildConsole();
  await using upstream = scripted(says("responses", "Hello from a model that costs something."));
  await using gateway = await startGateway(pricedModel(upstream));
  await fillForViews({ gateway });
  const port = freePort();
  const browser = await launchChromium({ debuggingPort: port });
  try {
    const job = await Promise.all(pages.map(async ({ path, session }) => {
      const name = nameOf({ path, session });
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
}

/** Pages a test: one of them all would take minutes. */
const AT_A_TIME = 6;

for (let from = 0; from < pages.length; from += AT_A_TIME) {
  const some = pages.slice(from, from + AT_A_TIME);
  Deno.test({
    name: `Lighthouse gives 95 for accessibility and best practices: ${some.map(nameOf).join(", ")}`,
    ignore: Deno.env.get("TOLLGATE_TEST_ALL") !== "1" || !hasChromium(),
    fn: () => auditPages(some),
  });
}
