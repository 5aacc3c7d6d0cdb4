/** Tests the console's browser side: policy, cookie, same origin, framing, and text that stays text. */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createKey, managed } from "../support/manage.ts";
import { startGateway } from "../support/gateway.ts";
import { rawExchange } from "../support/raw.ts";
import { until } from "../support/until.ts";
import { buildConsole } from "./support/built_console.ts";
import {
  type ConsoleStory,
  consoleStory,
  openSession,
  signedIn,
  signInByPage,
} from "./support/console_story.ts";
import { servePages } from "./support/fixture_pages.ts";

const policy: Readonly<Record<string, string>> = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' blob: data:",
  "media-src": "'self' blob:",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'self'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
};

function policyOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const parts = (headers["content-security-policy"] ?? "").split(";").map((part) => part.trim());
  return Object.fromEntries(parts.map((part) => {
    const [name = "", ...values] = part.split(" ");
    return [name, values.join(" ")];
  }));
}

consoleStory({ name: "every reply below /console carries the policy", session: "manager" }, async (story) => {
  const { page, open } = story;
  const seen = new Map<string, Readonly<Record<string, string>>>();
  page.on("response", (response) => seen.set(new URL(response.url()).pathname, response.headers()));
  await open("/keys");
  await page.getByText(/^Keys 1 to /).waitFor();
  // A browser without windows has no use for the icon.
  await page.evaluate("fetch(document.querySelector('link[rel=icon]').href).then((reply) => reply.text())");
  const kinds = [
    /^\/console\/keys$/,
    /\.js$/,
    /\.css$/,
    /\.svg$/,
    /^\/console\/session$/,
    /^\/console\/api\/keys$/,
  ];
  for (const kind of kinds) {
    assert([...seen.keys()].some((path) => kind.test(path)), `the page asks for ${kind}`);
  }
  for (const [path, headers] of seen) {
    assert.deepEqual(policyOf(headers), policy, path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["referrer-policy"], "no-referrer", path);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin", path);
    assert.equal(headers["access-control-allow-origin"], undefined, path);
    const cached = /^\/console\/assets\//.test(path) ? /immutable/ : /^no-store$/;
    assert.match(headers["cache-control"] ?? "", cached, path);
  }
});

consoleStory({ name: "the session's cookie is for this host and out of reach of scripts" }, async (story) => {
  const { page, context, gateway, open } = story;
  await open();
  await signInByPage(page, gateway.managementKey);
  await signedIn(page);
  const [cookie, ...more] = await context.cookies();
  assert.deepEqual(more, []);
  assert(cookie !== undefined);
  const { name, value, httpOnly, sameSite, path, expires } = cookie;
  assert.deepEqual({ name, httpOnly, sameSite, path }, {
    name: `tollgate-${gateway.port}`,
    httpOnly: true,
    sameSite: "Strict",
    path: "/",
  });
  assert.match(value, /^[A-Za-z0-9_-]{43}$/);
  const hours = (expires - Date.now() / 1_000) / 3_600;
  assert(hours > 7.9 && hours <= 8, `the cookie lasts ${hours} hours`);
  assert.equal(await page.evaluate("document.cookie"), "");
  const stored = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  assert(!stored.includes(gateway.managementKey) && !stored.includes(value), "no secret is kept by the page");
});

Deno.test("behind TLS the cookie is Secure and bound to the host, and HSTS is sent", async () => {
  await using gateway = await startGateway({ env: { TOLLGATE_TRUST_PROXY: "1" } });
  const response = await fetch(`${gateway.url}/console/session`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-proto": "https",
      "x-forwarded-for": "192.0.2.1",
      origin: gateway.url.replace("http:", "https:"),
    },
    body: JSON.stringify({ key: gateway.managementKey }),
  });
  await response.body?.cancel();
  assert.equal(response.status, 201);
  const [pair = "", ...attributes] = (response.headers.get("set-cookie") ?? "").split("; ");
  assert.match(pair, /^__Host-tollgate-\d+=[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(attributes.sort(), ["HttpOnly", "Max-Age=28800", "Path=/", "SameSite=Strict", "Secure"]);
  assert.match(response.headers.get("strict-transport-security") ?? "", /^max-age=\d{8}/);
});

interface Attempt {
  readonly name: string;
  readonly headers: string;
  readonly status: number;
}

/** A change that the page itself sends, with one part of what it needs wrong. */
const attempts: readonly Attempt[] = [
  { name: "without X-CSRF", headers: "{}", status: 403 },
  { name: "with an empty X-CSRF", headers: "{ 'x-csrf': '' }", status: 403 },
  { name: "with another session's X-CSRF", headers: "{ 'x-csrf': OTHER }", status: 403 },
  {
    name: "with a bearer token beside the cookie",
    headers: "{ 'x-csrf': OWN, authorization: 'Bearer KEY' }",
    status: 403,
  },
  { name: "with its own X-CSRF", headers: "{ 'x-csrf': OWN }", status: 201 },
];

/** Status of a request that a page sends by a script of its own. */
function sentBy(page: Page, address: string, { init }: { readonly init: string }): Promise<number> {
  return page.evaluate<number>(`fetch(${JSON.stringify(address)}, ${init}).then(({ status }) => status)`);
}

for (const { name, headers, status } of attempts) {
  consoleStory(
    { name: `a change ${name} gets ${status}` },
    async ({ page, context, watch, gateway, open }) => {
      watch.expectNothing();
      if (status !== 201) watch.expect(new RegExp(`^console error: .* ${status} .*/console/api/keys`));
      const [own, other] = [
        await openSession({ gateway, key: gateway.managementKey }),
        await openSession({ gateway, key: gateway.managementKey }),
      ];
      await context.addCookies([{ ...own.cookie, url: gateway.url }]);
      await open("/keys");
      await signedIn(page);
      const sent = headers.replace("OWN", `'${own.csrf}'`).replace("OTHER", `'${other.csrf}'`)
        .replace("KEY", gateway.managementKey);
      const init =
        `{ method: "POST", body: '{"name":"Made"}', headers: { 'content-type': 'application/json', ...${sent} } }`;
      assert.equal(await sentBy(page, "/console/api/keys", { init }), status);
      const { body } = await managed(gateway, { call: "GET /keys" });
      const made = JSON.stringify(body.data).includes("Made");
      assert.equal(made, status === 201);
    },
  );
}

consoleStory({ name: "without its cookie, everything that X-CSRF says is worth nothing" }, async (story) => {
  const { page, watch, gateway, open } = story;
  watch.expect(/^console error: .* 401 .*\/console\/api\/keys/);
  const { csrf } = await openSession({ gateway, key: gateway.managementKey });
  await open();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const init =
    `{ method: "POST", body: '{"name":"Made"}', headers: { 'content-type': 'application/json', 'x-csrf': '${csrf}' } }`;
  assert.equal(await sentBy(page, "/console/api/keys", { init }), 401);
});

/**
 * Another port of this machine is another origin of the same site, where SameSite does not hold the cookie back: only
 * the check of the origin stands in the way.
 */
consoleStory(
  { name: "another origin of the same site reads and changes nothing", session: "manager" },
  async (story) => {
    const { page, watch, gateway } = story;
    watch.expect(
      /blocked by CORS policy/,
      /^request failed: .*net::ERR_/,
      /^console error: .* (403|net::ERR_)/,
    );
    await using other = servePages({
      "/": { body: "<!doctype html><title>Other</title><link rel=icon href='data:,'>" },
    });
    await page.goto(other.url);
    assert.match(
      other.cookies[0] ?? "",
      /^tollgate-\d+=/,
      "cookies know no ports: the browser sends it to the other one",
    );
    const inits = [
      `{ credentials: "include" }`,
      `{ credentials: "include", method: "POST", body: "{}", headers: { "content-type": "text/plain" } }`,
      `{ credentials: "include", mode: "no-cors", method: "POST", body: '{"name":"Made"}' }`,
      `{ credentials: "include", method: "POST", body: "{}", headers: { "x-csrf": "x" } }`,
    ];
    for (const init of inits) {
      const read = `fetch(${JSON.stringify(`${gateway.url}/console/api/keys`)}, ${init})` +
        ".then((response) => response.text(), (error) => String(error))";
      assert.match(await page.evaluate<string>(read), /^(TypeError: Failed to fetch|)$/, init);
    }
    const { body } = await managed(gateway, { call: "GET /keys" });
    assert(!JSON.stringify(body.data).includes("Made"));
  },
);

consoleStory(
  { name: "another origin's form cannot sign a browser in or out", session: "manager" },
  async (story) => {
    const { page, watch, gateway, open } = story;
    watch.expect(/^console error: .* 403 .*\/console\/session\)$/);
    watch.allow(/^console error: .* 404 .*\/favicon\.ico\)$/);
    const form = `<form method="post" enctype="text/plain" action="${gateway.url}/console/session">` +
      `<input name='{"key":"${gateway.apiKey}","a' value='":1}'><button>Send</button></form>`;
    await using other = servePages({ "/": { body: `<!doctype html><link rel=icon href='data:,'>${form}` } });
    await page.goto(other.url);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("the request comes from another origin").waitFor();
    await open();
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Keys", exact: true })
      .waitFor();
  },
);

Deno.test("a program that holds cookie and X-CSRF and names no origin is refused", async () => {
  await using gateway = await startGateway();
  const { csrf, cookie } = await openSession({ gateway, key: gateway.managementKey });
  const headers = { cookie: `${cookie.name}=${cookie.value}`, "x-csrf": csrf };
  for (
    const [more, status] of [[{}, 403], [{ origin: "http://127.0.0.1" }, 403], [
      { origin: gateway.url },
      200,
    ]] as const
  ) {
    const response = await fetch(`${gateway.url}/console/api/keys`, { headers: { ...headers, ...more } });
    await response.body?.cancel();
    assert.equal(response.status, status, JSON.stringify(more));
  }
});

Deno.test("the session's cookie opens nothing below /v1", async () => {
  await using gateway = await startGateway();
  const { cookie } = await openSession({ gateway, key: gateway.managementKey });
  const response = await fetch(`${gateway.url}/v1/keys`, {
    headers: { cookie: `${cookie.name}=${cookie.value}` },
  });
  await response.body?.cancel();
  assert.equal(response.status, 401);
});

consoleStory(
  { name: "no page may frame the console", session: "manager" },
  async ({ page, watch, gateway }) => {
    watch.expect(
      /^console error: .*frame-ancestors 'none'/,
      /^policy violation: frame-ancestors/,
      /ERR_BLOCKED_BY_(CSP|RESPONSE)/,
    );
    const frame = (path: string) => `<iframe src="${gateway.url}${path}"></iframe>`;
    const body = `<!doctype html><title>Frames</title><link rel=icon href='data:,'>${frame("/console")}${
      frame("/console/keys")
    }`;
    await using other = servePages({ "/": { body } });
    await page.goto(other.url);
    const frames = page.frames().filter((one) => one !== page.mainFrame());
    assert.equal(frames.length, 2);
    for (const one of frames) {
      assert.doesNotMatch(one.url(), /\/console/, "the frame shows the browser's own error page");
      assert.equal(await one.getByRole("button", { name: "Sign out" }).count(), 0);
    }
  },
);

const markup = `<img src=x onerror="alert(1)"><b>bold</b><script>alert(2)</script>`;

/** Throws when a text has become part of the page. */
async function assertNoMarkup(page: Page): Promise<void> {
  assert.equal(await page.locator("img[src='x'], main b:text-is('bold'), script:not([src])").count(), 0);
}

async function withMarkupNames(story: ConsoleStory): Promise<string> {
  const { gateway, page } = story;
  page.on("dialog", (dialog) => assert.fail(`a script from a text has run: ${dialog.message()}`));
  const workspace = { name: markup, slug: "markup" };
  const { status, body } = await managed(gateway, { call: "POST /workspaces", body: workspace });
  assert.equal(status, 201, JSON.stringify(body));
  const { record } = await createKey(gateway, { name: markup });
  return record.hash;
}

consoleStory(
  { name: "markup in the names of keys and workspaces shows as text", session: "manager" },
  async (story) => {
    const { page, open } = story;
    const hash = await withMarkupNames(story);
    await open(`/keys?key=${hash}`);
    await page.getByRole("heading", { name: markup }).waitFor();
    await page.getByRole("button", { name: markup, exact: true }).waitFor();
    await page.getByRole("banner").getByLabel("Workspace", { exact: true }).selectOption({ label: markup });
    await page.getByText(markup).first().waitFor();
    await assertNoMarkup(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search, or go to" }).fill("markup");
    await page.getByRole("group", { name: "Workspaces" }).getByRole("option", { name: markup }).waitFor();
    await assertNoMarkup(page);
  },
);

consoleStory({
  name: "markup in the name of a deleted key shows as text in dialog and message",
  session: "manager",
}, async (story) => {
  const { page, open } = story;
  const hash = await withMarkupNames(story);
  await open(`/keys?key=${hash}`);
  await page.getByRole("button", { name: "Delete key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: `Delete key ${markup}` }).click();
  await page.getByText(`Key ${markup} was deleted.`).waitFor();
  await assertNoMarkup(page);
});

consoleStory(
  { name: "markup in an address and in the error about it shows as text", session: "manager" },
  async (story) => {
    const { page, watch, open } = story;
    watch.expect(/^console error: .* 40[04] .*\/console\/api\//);
    page.on("dialog", (dialog) => assert.fail(`a script from a text has run: ${dialog.message()}`));
    const text = encodeURIComponent(markup);
    await open(`/keys?q=${text}&key=${text}&sort=${text}&workspace=${text}`);
    await page.getByText("The key could not be read").waitFor();
    await page.getByText(`begins with “${markup}”`).waitFor();
    await assertNoMarkup(page);
    await open(`/${text}`);
    await page.getByRole("heading", { name: "There is no page here" }).first().waitFor();
    await assertNoMarkup(page);
  },
);

consoleStory(
  { name: "a script that a page did not bring does not run", session: "manager" },
  async ({ page, watch, open }) => {
    watch.expect(
      /policy violation: script-src/,
      /policy violation: require-trusted-types-for/,
      /Content Security Policy|TrustedScript|TrustedHTML/,
    );
    await open("/keys");
    await signedIn(page);
    const element = "document.body.appendChild(document.createElement('script'))";
    const address = "trustedTypes.createPolicy('own', { createScriptURL: (url) => url })" +
      ".createScriptURL('data:text/javascript,window.ran=1')";
    const tries = [
      `${element}.textContent = 'window.ran = 1'`,
      "document.body.innerHTML = '<img src=x onerror=\"window.ran = 1\">'",
      `${element}.src = ${address}`,
    ];
    for (const script of tries) {
      await page.evaluate(`(() => { try { ${script} } catch (error) { return String(error) } })()`);
    }
    await until(() => watch.problems.some((line) => line.startsWith("policy violation: script-src")));
    assert.equal(await page.evaluate("window.ran"), undefined);
  },
);

Deno.test("the console's files are not listed, and no path leads out of them", async () => {
  await buildConsole();
  await using gateway = await startGateway();
  for (
    const name of ["", "manifest.json", "../build.ts", "..%2fbuild.ts", "%2e%2e/deno.json", "index.html.gz"]
  ) {
    const head = `GET /console/assets/${name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    const { status, text } = await rawExchange(gateway.port, head);
    assert([400, 404].includes(status), `${name}: ${status}`);
    assert.doesNotMatch(text, /esbuild|"sources"/, name);
  }
});
