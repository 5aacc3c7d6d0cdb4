/** Collects what a browser reports while a story runs. Everything that the story does not expect fails it. */

import assert from "node:assert/strict";
import type { BrowserContext, ConsoleMessage, Page, Request } from "playwright-core";
import * as z from "zod";

/** A violation of the content policy; other issues of the browser have other codes. */
const issueSchema = z.object({
  code: z.string(),
  details: z.object({
    contentSecurityPolicyIssueDetails: z.object({
      violatedDirective: z.string(),
      contentSecurityPolicyViolationType: z.string(),
      blockedURL: z.string().optional(),
    }).optional(),
  }),
});

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** `data:` and `blob:` addresses stay in the browser. */
function leavesTheMachine(address: string): boolean {
  const url = new URL(address);
  return /^(?:https?|wss?):$/.test(url.protocol) && !loopback.test(url.hostname);
}

export class PageWatch {
  readonly #problems: string[] = [];
  readonly #expected: RegExp[] = [];
  readonly #allowed: RegExp[] = [];
  readonly #pending = new Set<Request>();

  /** Requests that are under way. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Lines of what was reported so far. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The story brings this about itself. It fails when it does not come. */
  expect(...patterns: readonly RegExp[]): void {
    this.#expected.push(...patterns);
  }

  /** May come or not: the browser fetches a page's icon when it finds the time. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** Takes back what was announced before. */
  expectNothing(): void {
    this.#expected.length = 0;
  }

  /** Throws for what was reported and not expected, and for what was expected and not reported. */
  check(): void {
    const known = [...this.#expected, ...this.#allowed];
    const unexpected = this.#problems.filter((line) => !known.some((one) => one.test(line)));
    assert.deepEqual(unexpected, [], "the browser reports nothing that the story does not expect");
    const missing = this.#expected.filter((one) => !this.#problems.some((line) => one.test(line)));
    assert.deepEqual(missing.map(String), [], "the browser reports what the story expects");
  }

  /** Listens to every page of a context, also to those that a page opens. */
  follow(context: BrowserContext): void {
    context.on("console", (message) => this.#onConsole(message));
    context.on("weberror", (error) => this.#problems.push(`page error: ${error.error().message}`));
    context.on("request", (request) => this.#onRequest(request));
    context.on("requestfinished", (request) => this.#pending.delete(request));
    context.on("requestfailed", (request) => this.#onFailure(request));
  }

  /** Listens to violations of the content policy on one page, before it is sent anywhere. */
  async followPolicy(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    devtools.on("Audits.issueAdded", ({ issue }) => this.#onIssue(issue));
    await devtools.send("Audits.enable");
  }

  #onConsole(message: ConsoleMessage): void {
    if (message.type() !== "error" && message.type() !== "assert") return;
    this.#problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  }

  #onRequest(request: Request): void {
    this.#pending.add(request);
    if (leavesTheMachine(request.url())) this.#problems.push(`request to elsewhere: ${request.url()}`);
  }

  #onFailure(request: Request): void {
    this.#pending.delete(request);
    const reason = request.failure()?.errorText ?? "";
    // The page has taken its request back, or it has become a download.
    if (reason === "net::ERR_ABORTED") return;
    this.#problems.push(`request failed: ${request.method()} ${request.url()} ${reason}`);
  }

  #onIssue(issue: unknown): void {
    const { details } = issueSchema.parse(issue);
    const violation = details.contentSecurityPolicyIssueDetails;
    if (violation === undefined) return;
    const { violatedDirective, contentSecurityPolicyViolationType, blockedURL = "inline" } = violation;
    this.#problems.push(
      `policy violation: ${violatedDirective} ${contentSecurityPolicyViolationType} ${blockedURL}`,
    );
  }
}
