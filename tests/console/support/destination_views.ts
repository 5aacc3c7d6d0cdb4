/** Views of destinations. */

import type { Page } from "playwright-core";
import { destinationStates } from "../../../server/management/destinations/destination_rows.ts";
import { managed } from "../../support/manage.ts";
import type { ConsoleStory } from "./console_story.ts";
import { openDialog } from "./key_views.ts";
import type { PageView } from "./page_views.ts";

type Gateway = ConsoleStory["gateway"];

const CALL = "POST /observability/destinations";
const longName =
  "Warehouse of the Northern region, for the monthly cost reports of all teams and the auditors";

const listed = (page: Page) => page.getByText("3 destinations", { exact: true }).waitFor();

async function openRow(page: Page, name: string): Promise<void> {
  await listed(page);
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("heading", { name, level: 2 }).waitFor();
}

async function openNew(page: Page, type: string): Promise<void> {
  await page.getByRole("button", { name: "New destination" }).click();
  await page.getByLabel("Type", { exact: true }).last().selectOption(type);
  await page.getByRole("button", { name: "Create destination" }).click();
  await page.getByText("A destination needs a name.").waitFor();
}

export const destinationViews: readonly PageView[] = [
  { name: "destinations", session: "manager", path: "/destinations", show: listed },
  {
    name: "destination-panel",
    session: "manager",
    path: "/destinations",
    show: async (page) => {
      await openRow(page, longName);
      await page.getByLabel("Part of the sessions (%)").fill("2,5");
      await page.getByRole("button", { name: "Remove signing secret" }).click();
      await page.getByText("It is removed when the changes are saved.").waitFor();
    },
  },
  {
    name: "destination-failing",
    session: "manager",
    path: "/destinations",
    show: async (page) => {
      await openRow(page, longName);
      await page.getByText("Failing since").waitFor();
    },
  },
  {
    name: "destination-panel-read-only",
    session: "reader",
    path: "/destinations",
    show: (page) => openRow(page, "Archive"),
  },
  {
    name: "destination-test",
    session: "manager",
    path: "/destinations",
    show: async (page) => {
      const data = { reachable: false, status: 503, error: "The receiver answers with status 503" };
      await page.route("**/destinations/*/test", (route) => route.fulfill({ json: { data } }));
      await openRow(page, "Collector");
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("The test has not arrived").waitFor();
    },
  },
  {
    name: "destination-new",
    session: "manager",
    path: "/destinations",
    show: (page) => openNew(page, "Webhook"),
  },
  {
    name: "destination-new-bucket",
    session: "manager",
    path: "/destinations",
    show: (page) => openNew(page, "S3 bucket"),
  },
  {
    name: "destination-delete",
    session: "manager",
    path: "/destinations",
    show: async (page) => {
      await openRow(page, "Archive");
      await openDialog(page, "Delete destination");
    },
  },
];

/** No receipt passes, so that nothing leaves the machine. */
const filter_rules = { groups: [{ rules: [{ field: "model", operator: "equals", value: "nobody/none" }] }] };

/** A destination of every type; one with a long name fails. */
export async function fillDestinations(gateway: Gateway): Promise<void> {
  const create = async (body: object) =>
    String(Object((await managed(gateway, { call: CALL, body })).body.data).id);
  const url = "https://receipts.warehouse-of-the-northern-region.example/hooks/receipts?token=secret";
  const signing_secret = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
  const id = await create({
    type: "webhook",
    name: longName,
    config: { url, signing_secret, headers: { Authorization: "Bearer secret", "X-Team": "north" } },
    sampling_rate: 0.25,
    privacy_mode: true,
    filter_rules,
  });
  await create({
    type: "otel-collector",
    name: "Collector",
    config: { endpoint: "https://otel.example:443" },
    broadcast_generation_cost: true,
    filter_rules,
  });
  await create({
    type: "s3",
    name: "Archive",
    enabled: false,
    config: { bucketName: "receipts", accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" },
  });
  const now = Date.now();
  await destinationStates(gateway.store).update([id], (state) => ({
    ...state,
    failing_since: now - 3_600_000,
    next_at: now + 600_000_000,
    error: "The receiver answers with status 503",
    sent: 1_284_711,
    lost: 1_204,
    sent_at: now - 7_200_000,
  }));
}
