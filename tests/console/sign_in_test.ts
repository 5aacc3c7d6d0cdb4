/** Signing in and out, and what the sign-in page says about sessions that are over. */

import assert from "node:assert/strict";
import { startGateway } from "../support/gateway.ts";
import { createKey, managed } from "../support/manage.ts";
import { OTHER_HOST } from "./support/chromium.ts";
import { consoleStory, keyOf, openSession, signedIn, signIn, signInByPage } from "./support/console_story.ts";
import { movableClock } from "./support/movable_clock.ts";

const refusedSignIn = /^console error: .* 401 .*\/console\/session\)$/;

consoleStory({
  name: "a gateway without a built console says how to build it",
  gateway: {
    consoleFolder: new URL("no-such-folder/", import.meta.url),
  },
}, async ({ gateway, watch, open, page }) => {
  watch.expectNothing();
  watch.expect(/^console error: .* 503 .*\/console\)$/);
  watch.allow(/^console error: .* 404 .*\/favicon\.ico\)$/);
  for (const path of ["", "/keys"]) {
    const response = await fetch(`${gateway.url}/console${path}`);
    assert.equal(response.status, 503);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
    assert.match(await response.text(), /deno task build:console/);
  }
  await open();
  await page.getByText("deno task build:console").waitFor();
  const { status } = await managed(gateway, { call: "GET /keys" });
  assert.equal(status, 200, "the gateway itself works");
});

consoleStory(
  { name: "a manager signs in with a key, and signs out" },
  async ({ page, context, gateway, open }) => {
    await open();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.title(), "Sign in · Tollgate");
    await signInByPage(page, gateway.managementKey);
    await signedIn(page);
    const nav = page.getByRole("navigation", { name: "Pages" });
    assert.deepEqual(await nav.getByRole("link").allInnerTexts(), [
      "Overview",
      "Requests",
      "Keys",
      "Workspaces",
      "Guardrails",
      "Presets",
      "Tag rules",
      "Provider keys",
      "Connect clients",
      "Files",
      "Models and providers",
      "Playground",
      "API",
      "Audit",
      "Destinations",
      "Settings",
    ]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(await context.cookies(), []);
  },
);

consoleStory({ name: "a key holder signs in and sees the own key only" }, async ({ page, gateway, open }) => {
  await open();
  await signInByPage(page, gateway.apiKey);
  await signedIn(page);
  const nav = page.getByRole("navigation", { name: "Pages" });
  assert.deepEqual(await nav.getByRole("link").allInnerTexts(), ["My key", "Playground", "API"]);
  await open("/nowhere");
  await page.getByRole("heading", { name: "There is no page here" }).first().waitFor();
});

consoleStory(
  { name: "a read-only management key looks and changes nothing" },
  async ({ page, gateway, open }) => {
    await createKey(gateway, { name: "Somebody's" });
    await open("/keys");
    await signInByPage(page, await keyOf(gateway, "reader"));
    await signedIn(page);
    await page.getByRole("button", { name: "Somebody's" }).click();
    await page.getByRole("complementary", { name: "Somebody's" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "New key" }).count(), 0);
    assert.equal(await page.getByLabel("Limit", { exact: true }).isDisabled(), true);
    assert.equal(await page.getByRole("checkbox", { name: /^Select/ }).count(), 0);
    await page.getByText("read-only").waitFor();
  },
);

consoleStory(
  { name: "wrong keys are refused, the sixth has to wait, and the right one signs in" },
  async (story) => {
    const { page, watch, open, gateway } = story;
    watch.expect(refusedSignIn, /^console error: .* 429 .*\/console\/session\)$/);
    await open();
    for (const left of ["4 of 5 attempts are", "3 of 5", "2 of 5", "1 of 5 attempts is", "0 of 5"]) {
      await signInByPage(page, `tg-mgmt-${"x".repeat(43)}`);
      await page.getByText(left).waitFor();
    }
    await signInByPage(page, `tg-mgmt-${"x".repeat(43)}`);
    await page.getByText(/After so many wrong keys from this address, wait \d+ s before the next\.$/)
      .waitFor();
    await signInByPage(page, gateway.managementKey);
    await signedIn(page);
  },
);

consoleStory(
  { name: "an API key that signs in at a manager's address lands on its own page" },
  async (story) => {
    const { page, gateway, open } = story;
    await open("/keys?state=active");
    await signInByPage(page, gateway.apiKey);
    await page.getByRole("heading", { name: "What holds for it" }).waitFor();
    assert.match(page.url(), /\/console$/);
    await open("/guardrails");
    await page.getByRole("heading", { name: "What holds for it" }).waitFor();
  },
);

consoleStory({ name: "signing out in another tab says so at once", session: "manager" }, async (story) => {
  const { page, context, open, watch } = story;
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  const other = await context.newPage();
  await other.goto(page.url());
  await signedIn(other);
  await other.getByRole("button", { name: "Sign out" }).click();
  await other.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.getByRole("status").filter({ hasText: /^You were signed out, in another tab/ }).waitFor();
  assert.equal(await other.getByText("You were signed out").count(), 0);
  watch.check();
});

consoleStory({ name: "two gateways on one machine do not end each other's sessions" }, async (story) => {
  const { page, context, gateway, open } = story;
  await using second = await startGateway({ consoleFolder: undefined });
  for (const { url, managementKey } of [gateway, second]) {
    await page.goto(`${url}/console`);
    await signInByPage(page, managementKey);
    await signedIn(page);
  }
  assert.equal((await context.cookies()).length, 2);
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  await page.goto("about:blank");
});

const idleClock = movableClock();
consoleStory(
  { name: "what a page reads by itself does not lengthen its session", gateway: { clock: idleClock } },
  async ({ page, context, gateway, open }) => {
    await signIn(context, { gateway, key: gateway.managementKey });
    await page.clock.install();
    await open("/keys");
    await page.getByText(/^Keys 1 to /).waitFor();
    const seen = async () =>
      Object(
        await page.evaluate(
          "fetch('/console/session', { headers: { 'x-background': 'true' } }).then((answer) => answer.json())",
        ),
      ).data.idle_expires_at;
    const before = await seen();
    idleClock.leap(120_000);
    const read = page.waitForResponse(/\/console\/api\/status$/);
    await page.clock.fastForward(60_000);
    await read;
    assert.equal(await seen(), before);
    await page.getByRole("button", { name: /Show health$/ }).click();
    await page.getByRole("dialog").getByText("Version").waitFor();
    assert.notEqual(await seen(), before);
  },
);

consoleStory(
  { name: "a hidden tab reads nothing until it is seen again", session: "manager" },
  async (story) => {
    const { page, open } = story;
    await page.clock.install();
    await open("/keys");
    await page.getByText(/^Keys 1 to /).waitFor();
    const show = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });` +
          `document.dispatchEvent(new Event("visibilitychange"))`,
      );
    await show(true);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.clock.fastForward(300_000);
    assert.deepEqual(requests, []);
    const read = page.waitForResponse(/\/console\/api\/status$/);
    await show(false);
    await read;
  },
);

consoleStory({ name: "an empty key is not sent" }, async ({ page, open }) => {
  await open();
  await signInByPage(page, "  ");
  await page.getByText("Paste a key first.").waitFor();
});

consoleStory({ name: "the first start's link signs in once and leaves the address" }, async (story) => {
  const { page, context, watch, gateway, open } = story;
  watch.expect(/^console error: .* 401 .*\/console\/session\)$/);
  const link = `#${await gateway.signInToken()}`;
  await open(link);
  await signedIn(page);
  assert.equal(await page.evaluate("location.hash"), "");
  await page.goto("about:blank");
  await context.clearCookies();
  await open(link);
  await page.getByText("This link was used already or is older than 10 minutes.").waitFor();
});

consoleStory({ name: "the first start's link signs in where the page is open already" }, async (story) => {
  const { page, context, watch, gateway, open } = story;
  watch.expect(/^console error: .* 401 .*\/console\/session\)$/);
  await open();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const link = `#${await gateway.signInToken()}`;
  await open(link);
  await signedIn(page);
  assert.equal(await page.evaluate("location.hash"), "");
  await page.goto("about:blank");
  await context.clearCookies();
  await open();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await open(link);
  await page.getByText("This link was used already or is older than 10 minutes.").waitFor();
});

interface Ending {
  readonly how: string;
  readonly end: (story: EndingStory) => Promise<void> | void;
  readonly says: RegExp;
}

interface EndingStory {
  readonly gateway: Parameters<typeof managed>[0];
  readonly clock: ReturnType<typeof movableClock>;
  readonly sessionId: string;
}

const HOUR_MS = 3_600_000;

/** Ends a session as another manager does. */
async function endByOther({ gateway, sessionId }: EndingStory): Promise<void> {
  const { csrf, cookie } = await openSession({ gateway, key: gateway.managementKey });
  const response = await fetch(`${gateway.url}/console/sessions/${sessionId}`, {
    method: "DELETE",
    headers: { cookie: `${cookie.name}=${cookie.value}`, "x-csrf": csrf, origin: gateway.url },
  });
  assert.deepEqual(await response.json(), { deleted: true });
}

async function disableKey({ gateway }: EndingStory): Promise<void> {
  const { body } = await managed(gateway, { call: "GET /management-keys" });
  assert(Array.isArray(body.data));
  const hash = body.data.find(({ name }: { readonly name: string }) => name === "Second manager").hash;
  const { status } = await managed(gateway, {
    call: `PATCH /management-keys/${hash}`,
    body: { disabled: true },
  });
  assert.equal(status, 200);
}

const endings: readonly Ending[] = [
  { how: "ended by another manager", end: endByOther, says: /^Your session was ended, here or by a manager/ },
  { how: "ended with its key", end: disableKey, says: /because its key was disabled, rotated, deleted/ },
  {
    how: "unused for 30 minutes",
    end: ({ clock }) => clock.leap(0.5 * HOUR_MS + 1_000),
    says: /after 30 minutes without use/,
  },
  {
    how: "eight hours old",
    end: ({ clock }) => clock.leap(8 * HOUR_MS + 1_000),
    says: /^Your session has ended 8 hours after you signed in/,
  },
];

for (const { how, end, says } of endings) {
  const clock = movableClock();
  consoleStory(
    { name: `a session that was ${how} says so, and signing in leads back`, gateway: { clock } },
    async (story) => {
      const { page, context, gateway, watch, open } = story;
      watch.expectNothing();
      watch.expect(/^console error: .* 401 .*\/console\/api\/keys/);
      const { body } = await managed(gateway, {
        call: "POST /management-keys",
        body: { name: "Second manager" },
      });
      const { id: sessionId } = await signIn(context, { gateway, key: String(body.key) });
      await open("/keys?state=active");
      await page.getByText(/^Keys 1 to /).waitFor();
      await end({ gateway, clock, sessionId });
      await page.getByRole("searchbox", { name: "Search keys" }).fill("nobody");
      await page.getByRole("status").filter({ hasText: says }).waitFor();
      await signInByPage(page, gateway.managementKey);
      await signedIn(page);
      await page.getByRole("heading", { name: "Keys", exact: true }).waitFor();
      assert.match(page.url(), /\/console\/keys\?state=active&q=nobody$/);
    },
  );
}

consoleStory({ name: "without TLS the console is refused on any host but this machine" }, async (story) => {
  const { page, watch, gateway } = story;
  watch.expectNothing();
  watch.expect(
    / 403 .*\/console\/session\)$/,
    /Cross-Origin-Opener-Policy header has been ignored/,
    /^request to elsewhere/,
  );
  await page.goto(`http://${OTHER_HOST}:${gateway.port}/console`);
  await page.getByText(/The console needs TLS.*TOLLGATE_TRUST_PROXY/).waitFor();
});
