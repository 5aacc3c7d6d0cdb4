/** Stories of the page of destinations. */

import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { httpStub } from "../support/http_stub.ts";
import { managed } from "../support/manage.ts";
import { type BrowserStory, browserStory } from "./support/browser_story.ts";
import { buildConsole } from "./support/built_console.ts";
import { consoleStory, signIn } from "./support/console_story.ts";
import { screenshots } from "./support/screenshots.ts";
import { untilInPage } from "./support/until_in_page.ts";

const LIST = "/observability/destinations";
const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
const masterKey = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };

const panel = (page: Page) => page.locator("aside.panel");
const field = (page: Page, name: string) => panel(page).getByLabel(name, { exact: true });
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).last().click();
const wrong = (page: Page, text: string | RegExp) =>
  panel(page).locator(".hint-bad").getByText(text).waitFor();

async function save(page: Page): Promise<void> {
  await click(page, "Save changes");
  await page.getByText("The destination was saved.").last().waitFor();
  await panel(page).getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
}

async function create(gateway: Gateway, fields: object = {}): Promise<string> {
  const config = { url: "https://receipts.example/hook?token=in-the-query", signing_secret: SECRET };
  const body = { type: "webhook", name: "Warehouse", config, ...fields };
  const made = await managed(gateway, { call: `POST ${LIST}`, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return String(Object(made.body.data).id);
}

const stored = async (gateway: Gateway) =>
  Object((await managed(gateway, { call: `GET ${LIST}` })).body).data;

interface ReceiverStory extends BrowserStory {
  readonly gateway: Gateway;
  readonly context: BrowserContext;
  /** Base address of a receiver that the gateway may call. */
  readonly address: string;
  /** Answers with this status from now on. */
  readonly answerWith: (status: number) => void;
  /** Path and headers of what has come. */
  readonly came: readonly (readonly [string, Headers])[];
}

/** A manager's story with a receiver. */
function receiverStory(name: string, run: (story: ReceiverStory) => Promise<void>): void {
  browserStory({ name }, async (story) => {
    await buildConsole();
    let status = 204;
    const came: (readonly [string, Headers])[] = [];
    await using receiver = httpStub(async (request) => {
      await request.body?.cancel();
      const { pathname, search } = new URL(request.url);
      came.push([pathname + search, request.headers]);
      return new Response(null, { status });
    });
    const file = { fetch: { allowed_hosts: [new URL(receiver.url).host] } };
    await using gateway = await startGateway({ file, env: masterKey });
    await signIn(story.context, { gateway, key: gateway.managementKey });
    await story.page.goto(`${gateway.url}/console/destinations`);
    const answerWith = (next: number) => {
      status = next;
    };
    await run({ ...story, gateway, address: receiver.url, answerWith, came });
    await story.page.goto("about:blank");
  });
}

receiverStory("a webhook is refused at its fields, created and tested", async (story) => {
  const { page, watch, address, answerWith, came } = story;
  watch.expect(new RegExp(` 400 .*${LIST}`));
  await page.getByText("No destination yet").waitFor();
  await click(page, "New destination");
  await click(page, "Create destination");
  await wrong(page, "A destination needs a name.");
  await wrong(page, "This has to be filled in.");
  await field(page, "Name").fill("Warehouse");
  await field(page, "Address").fill("https://169.254.169.254/hook");
  await field(page, "Part of the sessions (%)").fill("250");
  await click(page, "Create destination");
  await wrong(page, /From 0\.01 to 100\.$/);
  await field(page, "Part of the sessions (%)").fill("25");
  await click(page, "Create destination");
  await untilInPage(page, "document.activeElement?.value === 'https://169.254.169.254/hook'");
  await wrong(page, /^It may not be called: 169\.254\.169\.254 is not on the public Internet/);
  await screenshots(page, "destination-refused");
  assert.equal(await field(page, "Address").inputValue(), "https://169.254.169.254/hook");
  await field(page, "Address").fill(`${address}/hook?token=in-the-query`);
  assert.equal(await panel(page).locator(".hint-bad").count(), 0, "it was about another address");
  await field(page, "Signing secret").fill("whsec_short");
  await click(page, "Add header");
  await field(page, "Name of header 1").fill("Authorization");
  await click(page, "Create destination");
  await wrong(page, "Authorization needs a value.");
  await field(page, "Value of header 1").fill("Bearer of-the-receiver");
  await click(page, "Create destination");
  await wrong(page, /^It is not the base64 of so many bytes; allowed: whsec_ and the base64/);
  await field(page, "Signing secret").fill(SECRET);
  await click(page, "Create destination");
  await page.getByText("Destination Warehouse was created.").waitFor();
  await panel(page).getByRole("heading", { name: "Warehouse" }).waitFor();

  assert.equal(await field(page, "Address").inputValue(), `${address}/hook?***`);
  assert.equal(await field(page, "Signing secret").inputValue(), "");
  assert.equal(await field(page, "Signing secret").getAttribute("placeholder"), "set");
  for (
    const [status, words] of [
      [204, "The receiver took it with status 204."],
      [400, "The receiver is there. It refuses an empty message with status 400, which is no fault."],
      [503, "The receiver answers with status 503."],
    ] as const
  ) {
    answerWith(status);
    await click(page, "Send a test");
    await panel(page).getByText(words, { exact: true }).waitFor();
  }
  await screenshots(page, "destination-tested");
  const [path, headers] = came.at(-1) ?? ["", new Headers()];
  assert.deepEqual([path, headers.get("authorization"), headers.get("x-test-connection")], [
    "/hook?token=in-the-query",
    "Bearer of-the-receiver",
    "true",
  ]);
});

receiverStory(
  "a destination is changed without its secrets, then without them, and deleted",
  async (story) => {
    const { page, gateway, address, came } = story;
    const headers = { Authorization: "Bearer of-the-receiver" };
    const config = { url: `${address}/hook?token=in-the-query`, signing_secret: SECRET, headers };
    const id = await create(gateway, { config, sampling_rate: 0.25 });
    await page.goto(`${gateway.url}/console/destinations?open=${id}`);
    await panel(page).getByRole("heading", { name: "Warehouse" }).waitFor();
    await field(page, "Name").fill("Store room");
    await panel(page).getByText("PUT", { exact: true }).click();
    await field(page, "Costs").check();
    await save(page);
    const [{ name, config: shown, sampling_rate, broadcast_generation_cost }] = await stored(gateway);
    assert.deepEqual([name, shown.method, sampling_rate, broadcast_generation_cost], [
      "Store room",
      "PUT",
      0.25,
      true,
    ]);
    await click(page, "Send a test");
    await panel(page).getByText("The test has arrived").waitFor();
    assert.equal(came.at(-1)?.[0], "/hook?token=in-the-query");
    assert.equal(came.at(-1)?.[1].get("authorization"), "Bearer of-the-receiver", "the secret has stayed");

    await field(page, "Address").fill(`${address}/other?***`);
    await wrong(page, /^The part behind the \? is not shown/);
    assert.equal(await panel(page).getByRole("button", { name: "Save changes" }).isDisabled(), true);
    await field(page, "Address").fill(`${address}/other`);
    await click(page, "Remove signing secret");
    await click(page, "Remove header 1");
    await save(page);
    assert.deepEqual((await stored(gateway))[0].config, {
      url: `${address}/other`,
      method: "PUT",
      headers: {},
    });
    await field(page, "Enabled").uncheck();
    await save(page);
    await page.getByRole("row", { name: /Store room.*Disabled/ }).waitFor();

    await click(page, "Delete destination");
    await click(page, "Delete destination Store room");
    await page.getByText("No destination yet").waitFor();
    assert.deepEqual(await stored(gateway), []);
  },
);

receiverStory("a collector and a bucket are created with the fields of their types", async (story) => {
  const { page, gateway, address, watch } = story;
  watch.expect(new RegExp(` 400 .*${LIST}`));
  await page.getByText("No destination yet").waitFor();
  await click(page, "New destination");
  await field(page, "Name").fill("Collector");
  await field(page, "Type").selectOption("OpenTelemetry");
  assert.equal(await field(page, "Name").inputValue(), "Collector", "what was typed stays");
  await field(page, "Address").fill(address);
  await field(page, "Privacy mode").check();
  await field(page, "Europe").check();
  await click(page, "Create destination");
  await panel(page).getByRole("heading", { name: "Collector" }).waitFor();
  await click(page, "New destination");
  await field(page, "Type").selectOption("S3 bucket");
  await field(page, "Name").fill("Archive");
  await click(page, "Create destination");
  assert.equal(await panel(page).locator(".hint-bad").count(), 3, "bucket, key id and key");
  await field(page, "Bucket").fill("receipts");
  await field(page, "Access key id").fill("two words");
  await field(page, "Secret access key").fill("***");
  await click(page, "Create destination");
  await wrong(page, /^It has a blank; allowed: up to 4,000 letters, digits and signs without blanks/);
  await field(page, "Access key id").fill("AKIAIOSFODNN7EXAMPLE");
  await field(page, "Secret access key").fill("wJalrXUtnFEMIK7MDENGbPxRfiCY");
  await field(page, "Address of another service than AWS").fill(address);
  await field(page, "Folder of an object").fill("{prefix}/{year}");
  await click(page, "Create destination");
  await panel(page).getByRole("heading", { name: "Archive" }).waitFor();
  await click(page, "Send a test");
  await panel(page).getByText(/It holds the object connection-test\.json now\.$/).waitFor();
  await screenshots(page, "destination-bucket");
  await page.goBack();
  await panel(page).getByRole("heading", { name: "Collector" }).waitFor();
  await page.goForward();
  await panel(page).getByRole("heading", { name: "Archive" }).waitFor();
  await field(page, "Secret access key").fill("another");
  await field(page, "Folder of an object").fill("");
  await save(page);
  const [collector, bucket] = await stored(gateway);
  assert.deepEqual([collector.privacy_mode, collector.regions], [true, ["europe", "global"]]);
  assert.deepEqual(bucket.config, {
    ...{ bucketName: "receipts", region: "us-east-1", endpoint: address, prefix: "tollgate-traces" },
    ...{ pathTemplate: "{prefix}/{date}", accessKeyId: "***", secretAccessKey: "***", headers: {} },
  });
  await page.getByText("2 destinations", { exact: true }).waitFor();
  await page.getByLabel("Type", { exact: true }).first().selectOption("S3 bucket");
  await page.getByText("1 of 2 destinations").waitFor();
});

consoleStory(
  {
    name: "what is typed stays while the connection is lost and the destination is deleted",
    session: "manager",
  },
  async ({ page, context, gateway, open, watch }) => {
    watch.expect(/ERR_INTERNET_DISCONNECTED/);
    watch.expect(new RegExp(` 404 .*${LIST}/`));
    const id = await create(gateway);
    await open(`/destinations?open=${id}`);
    await panel(page).getByRole("heading", { name: "Warehouse" }).waitFor();
    await field(page, "Name").fill("typed");
    await field(page, "Signing secret").fill("whsec_typed");
    await context.setOffline(true);
    await click(page, "Send a test");
    await page.getByText(/No connection to the gateway since/).waitFor();
    await panel(page).getByText("The destination was not tested").waitFor();
    await click(page, "Save changes");
    await panel(page).getByText("The destination was not saved").waitFor();
    await managed(gateway, { call: `DELETE ${LIST}/${id}` });
    await context.setOffline(false);
    await click(page, "Try now");
    await page.getByText("No destination yet").waitFor();
    await click(page, "Save changes");
    await panel(page).getByText("Somebody has deleted this destination").waitFor();
    await screenshots(page, "destination-gone");
    assert.equal(await field(page, "Name").inputValue(), "typed");
    assert.equal(await field(page, "Signing secret").inputValue(), "whsec_typed");
    await page.keyboard.press("Escape");
    await click(page, "Keep editing");
    assert.equal(await field(page, "Name").inputValue(), "typed");
    await page.keyboard.press("Escape");
    await click(page, "Discard changes");
    await panel(page).waitFor({ state: "detached" });
  },
);

consoleStory(
  {
    name: "a new destination is asked about before it is dropped, and five of a type are the most",
    session: "manager",
  },
  async ({ page, gateway, open, watch }) => {
    watch.expect(new RegExp(` 409 .*${LIST}`));
    for (let at = 0; at < 5; at++) await create(gateway, { name: `Number ${at}` });
    await open("/destinations");
    await page.getByText("5 destinations", { exact: true }).waitFor();
    await click(page, "New destination");
    await field(page, "Name").fill("A sixth");
    await field(page, "Address").fill("https://receipts.example/hook");
    await click(page, "Create destination");
    await panel(page).getByText(/the workspace has 5 of type webhook already/).waitFor();
    assert.equal(await field(page, "Name").inputValue(), "A sixth");
    await page.getByRole("link", { name: "Audit", exact: true }).click();
    await click(page, "Keep editing");
    assert.equal(await field(page, "Address").inputValue(), "https://receipts.example/hook");
    await click(page, "Cancel");
    await click(page, "Discard changes");
    await panel(page).waitFor({ state: "detached" });
  },
);

consoleStory(
  { name: "a read-only manager sees destinations, and changes and sends nothing", session: "reader" },
  async ({ page, gateway, open }) => {
    const name = "<img src=x>";
    await create(gateway, { name });
    await open("/destinations?type=s3");
    await click(page, "Remove all filters");
    await page.getByRole("button", { name, exact: true }).click();
    await panel(page).getByRole("heading", { name }).waitFor();
    assert.equal(await page.getByRole("button", { name: /New|Save|Delete|test|Add|Remove/ }).count(), 0);
    const inputs = await panel(page).locator("input, select, textarea").all();
    assert(inputs.length > 10, `${inputs.length} fields`);
    for (const input of inputs) assert.equal(await input.isDisabled(), true);
    assert.equal(await field(page, "Address").inputValue(), "https://receipts.example/hook?***");
    assert.equal(await field(page, "Signing secret").getAttribute("placeholder"), "set");
    assert.equal(await page.locator("img").count(), 0);
    await open("/destinations?open=new");
    await page.getByText("1 destination", { exact: true }).waitFor();
    assert.equal(await panel(page).count(), 0);
  },
);

const rule = (page: Page, what: string) => field(page, `${what} of group 1`);

consoleStory(
  {
    name: "filter rules are added, refused where they mean nothing, switched off and removed",
    session: "manager",
  },
  async ({ page, gateway, open, watch }) => {
    watch.expect(new RegExp(` 400 .*${LIST}/`));
    const id = await create(gateway);
    await open(`/destinations?open=${id}`);
    await panel(page).getByText("There are none: no receipt is left out by what it says.").waitFor();
    await click(page, "Add group");
    await wrong(page, "Rule 1 of group 1 needs a value.");
    await rule(page, "Comparison, rule 1").selectOption("matches the pattern");
    await rule(page, "Value, rule 1").fill("(");
    await click(page, "Save changes");
    await wrong(page, /^Rule 1 of group 1 has a pattern that /);
    assert.equal(await rule(page, "Value, rule 1").inputValue(), "(");
    await rule(page, "Value, rule 1").fill("^mock/");
    await click(page, "Add rule to group 1");
    await rule(page, "Field, rule 2").selectOption("Cost (USD)");
    await rule(page, "Comparison, rule 2").selectOption("is at least");
    await rule(page, "Value, rule 2").fill("much");
    await wrong(page, "Rule 2 of group 1 needs a number.");
    await rule(page, "Value, rule 2").fill("0.5");
    await field(page, "Group 1 passes where").selectOption("one of the rules holds");
    await screenshots(page, "destination-rules");
    await save(page);
    const rules = [
      { field: "model", operator: "regex", value: "^mock/" },
      { field: "total_cost", operator: "gte", value: 0.5 },
    ];
    assert.deepEqual((await stored(gateway))[0].filter_rules, {
      enabled: true,
      groups: [{ logic: "or", rules }],
    });
    await field(page, "Use the rules").uncheck();
    await click(page, "Remove rule 1 of group 1");
    await rule(page, "Comparison, rule 1").selectOption("is there");
    await save(page);
    const left = [{ field: "total_cost", operator: "exists" }];
    assert.deepEqual((await stored(gateway))[0].filter_rules, {
      enabled: false,
      groups: [{ logic: "or", rules: left }],
    });
    await click(page, "Remove rule 1 of group 1");
    await save(page);
    assert.equal((await stored(gateway))[0].filter_rules, null);
  },
);

consoleStory(
  {
    name: "a change that somebody else has saved meanwhile is not overwritten by another field",
    session: "manager",
  },
  async ({ page, gateway, open }) => {
    const id = await create(gateway);
    await open(`/destinations?open=${id}`);
    await panel(page).getByRole("heading", { name: "Warehouse" }).waitFor();
    await field(page, "Part of the sessions (%)").fill("50");
    const config = { url: "https://receipts.example/moved" };
    await managed(gateway, { call: `PATCH ${LIST}/${id}`, body: { name: "Store room", config } });
    await field(page, "Costs").check();
    await click(page, "Read again");
    await panel(page).getByRole("heading", { name: "Store room" }).waitFor();
    assert.equal(await field(page, "Part of the sessions (%)").inputValue(), "50");
    await managed(gateway, { call: `PATCH ${LIST}/${id}`, body: { privacy_mode: true } });
    await save(page);
    assert.equal(await field(page, "Privacy mode").isChecked(), true);
    const [{ name, sampling_rate, privacy_mode, broadcast_generation_cost, config: shown }] = await stored(
      gateway,
    );
    assert.deepEqual([name, sampling_rate, privacy_mode, broadcast_generation_cost, shown.url], [
      "Store room",
      0.5,
      true,
      true,
      "https://receipts.example/moved",
    ]);
  },
);
