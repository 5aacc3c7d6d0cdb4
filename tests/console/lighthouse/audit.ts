/**
 * `audit.ts <job as JSON>`: lets Lighthouse look at pages in a Chromium that listens on a debugging port, and prints
 * what it finds as JSON. It runs in a process of its own, because its many packages are wanted here only.
 */

import lighthouse from "lighthouse";
import type { AuditJob, PageAudit } from "./job.ts";

const categories = ["accessibility", "best-practices", "performance"];

/** Lighthouse loses the trace of a page now and then, and says itself that it is to be run again. */
const TRIES = 3;

async function visit({ name, url, cookie }: AuditJob["pages"][number], port: number) {
  const result = await lighthouse(url, {
    port,
    onlyCategories: categories,
    logLevel: "error",
    disableStorageReset: true,
    formFactor: "desktop",
    screenEmulation: { disabled: true },
    ...(cookie === undefined ? {} : { extraHeaders: { Cookie: cookie } }),
  });
  if (result === undefined) throw new Error(`Lighthouse has no result for ${name}`);
  return result.lhr;
}

async function audit(page: AuditJob["pages"][number], port: number): Promise<PageAudit> {
  const { name } = page;
  let lhr = await visit(page, port);
  for (let tries = 1; lhr.runtimeError !== undefined; tries++) {
    const { message } = lhr.runtimeError;
    if (tries === TRIES) throw new Error(`${name}: ${message}`);
    console.error(`${name}, try ${tries} of ${TRIES}: ${message}`);
    lhr = await visit(page, port);
  }
  const scores = Object.values(lhr.categories).map(({ id, score }) => [id, score ?? 0] as const);
  const refs = Object.values(lhr.categories).filter(({ id }) => id !== "performance")
    .flatMap(({ auditRefs }) => auditRefs);
  const failed = refs.flatMap(({ id }) => {
    const found = lhr.audits[id];
    return found === undefined || found.score === null || found.score === 1 ? [] : [`${id}: ${found.title}`];
  });
  return { name, finalUrl: lhr.finalDisplayedUrl, scores: Object.fromEntries(scores), failed };
}

const job: AuditJob = JSON.parse(Deno.args[0] ?? "");
const found: PageAudit[] = [];
for (const page of job.pages) found.push(await audit(page, job.port));
console.log(JSON.stringify(found));
