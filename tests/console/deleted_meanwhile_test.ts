/** Records that somebody else deletes while their panel is open and something is typed there. */

import assert from "node:assert/strict";
import type { Json } from "../support/event_stream.ts";
import { createKey, managed } from "../support/manage.ts";
import { type ConsoleStory, consoleStory } from "./support/console_story.ts";

type Gateway = ConsoleStory["gateway"];

const NAME = "Mine";
const url = "https://receipts.example/hook";
const conditions = [{ field: "user_id", operator: "equals", value: "ada" }];

interface MadeRecord extends Json {
  readonly path: string;
}

/** Creates a record, and returns the id that the gateway gives it. */
async function made(gateway: Gateway, { path, ...fields }: MadeRecord): Promise<string> {
  const { body, status } = await managed(gateway, {
    call: `POST ${path}`,
    body: { name: NAME, ...fields },
  });
  assert.equal(status, 201);
  const { id, hash } = Object(body.data);
  return String(id ?? hash);
}

interface DeletedRecord {
  /** As its panel calls it. */
  readonly what: string;
  readonly page: string;
  /** Path of its operation below `/v1`, of a new record. */
  readonly make: (gateway: Gateway) => Promise<string>;
  /** Field of text in its panel. */
  readonly field: string;
}

const records: readonly DeletedRecord[] = [
  {
    what: "key",
    page: "/keys",
    make: async (gateway) => `/keys/${(await createKey(gateway, { name: NAME })).record.hash}`,
    field: "Name",
  },
  {
    what: "management key",
    page: "/keys?view=management",
    make: async (gateway) => `/management-keys/${await made(gateway, { path: "/management-keys" })}`,
    field: "Name",
  },
  {
    what: "workspace",
    page: "/workspaces",
    make: async (gateway) => `/workspaces/${await made(gateway, { path: "/workspaces", slug: "mine" })}`,
    field: "Description",
  },
  {
    what: "guardrail",
    page: "/guardrails",
    make: async (gateway) =>
      `/guardrails/${await made(gateway, { path: "/guardrails", workspace_id: null })}`,
    field: "Description",
  },
  {
    what: "provider key",
    page: "/byok",
    make: async (gateway) =>
      `/byok/${await made(gateway, { path: "/byok", provider: "openai", key: "sk-012345678" })}`,
    field: "Name",
  },
  {
    what: "preset",
    page: "/presets",
    make: async (gateway) => {
      const call = "POST /presets/mine/chat/completions";
      await managed(gateway, { call, body: { model: "mock/model" } });
      await managed(gateway, { call: "PATCH /presets/mine", body: { name: NAME } });
      return "/presets/mine";
    },
    field: "Description",
  },
  {
    what: "destination",
    page: "/destinations",
    make: async (gateway) => {
      const path = "/observability/destinations";
      return `${path}/${await made(gateway, { path, type: "webhook", config: { url } })}`;
    },
    field: "Name",
  },
  {
    what: "tag rule",
    page: "/tags",
    make: async (gateway) => {
      const path = "/observability/classifiers";
      return `${path}/${await made(gateway, { path, tag: "mine", conditions })}`;
    },
    field: "Name",
  },
];

for (const { what, page: path, make, field } of records) {
  for (const isLost of [false, true]) {
    const when = isLost ? "while the connection is lost" : "elsewhere";
    consoleStory(
      { name: `what is typed into a ${what} that is deleted ${when} stays`, session: "manager" },
      async ({ page, context, gateway, open, watch }) => {
        const own = await make(gateway);
        await open(path);
        await page.getByRole("button", { name: NAME, exact: true }).click();
        const panel = page.locator("aside.panel");
        const typed = panel.getByLabel(field, { exact: true });
        await typed.fill("typed");
        const save = page.getByRole("button", { name: "Save changes" });
        const lost = page.getByText(/No connection to the gateway since/);
        if (isLost) {
          watch.expect(/ERR_INTERNET_DISCONNECTED/);
          await context.setOffline(true);
          await save.click();
          await lost.waitFor();
        }
        assert.equal((await managed(gateway, { call: `DELETE ${own}` })).status, 200);
        watch.expect(/ 404 /);
        if (isLost) {
          await context.setOffline(false);
          await page.getByRole("button", { name: "Try now" }).click();
          await lost.waitFor({ state: "detached" });
          await page.getByRole("row").getByText(NAME, { exact: true }).waitFor({ state: "detached" });
        }
        await save.click();
        await panel.getByText(`Somebody has deleted this ${what}`).waitFor();
        assert.equal(await typed.inputValue(), "typed");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Discard changes" }).click();
        await panel.waitFor({ state: "detached" });
        assert.equal(await page.getByText("typed", { exact: true }).count(), 0);
      },
    );
  }
}
