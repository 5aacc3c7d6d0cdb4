/** A story in the console of a real gateway. */

import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import * as z from "zod";
import { consoleSessionSchema } from "../../../shared/console.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  providerAt,
  startGateway,
} from "../../support/gateway.ts";
import { says, type Scripted, scripted } from "../../support/scripted.ts";
import { managed } from "../../support/manage.ts";
import { readerRig } from "../../support/reader.ts";
import { type BrowserStory, browserStory, type ViewOptions } from "./browser_story.ts";
import { buildConsole } from "./built_console.ts";

/** Holder of the session. */
export type SessionHolder = "manager" | "reader" | "key holder";

export interface ConsoleStoryOptions extends ViewOptions {
  readonly name: string;
  /** Nobody by default. */
  readonly session?: SessionHolder;
  readonly gateway?: GatewayOptions;
  /** The gateway has a keeper, which reads PDFs. */
  readonly readsDocuments?: boolean;
}

export interface ConsoleStory extends BrowserStory {
  readonly gateway: Gateway;
  /** Goes to an address below `/console`. */
  readonly open: (path?: string) => Promise<void>;
}

/** `mock/model`, which costs something. */
export function pricedModel({ baseUrl }: Pick<Scripted, "baseUrl">): GatewayOptions {
  const pricing = { prompt: "0.001", completion: "0.002" };
  return { providers: [providerAt(baseUrl, { models: [{ ...mockModel, pricing }] })] };
}

/** Encrypts provider keys of workspaces. */
const masterKey = { TOLLGATE_MASTER_KEY: new Uint8Array(32).fill(9).toBase64() };

/** Registers a story; it is skipped where there is no browser. */
export function consoleStory(
  { session, gateway: options, readsDocuments = false, ...view }: ConsoleStoryOptions,
  run: (story: ConsoleStory) => Promise<void>,
): void {
  browserStory(view, async (story) => {
    await buildConsole();
    await using upstream = scripted(says("responses", "Hello from a model that costs something."));
    await using documents = readsDocuments ? readerRig() : undefined;
    const keeper = documents?.keeper;
    const env = { ...masterKey, ...options?.env };
    await using gateway = await startGateway({ ...pricedModel(upstream), keeper, ...options, env });
    const open = async (path = "") => {
      await story.page.goto(`${gateway.url}/console${path}`);
    };
    if (session !== undefined) await signIn(story.context, { gateway, key: await keyOf(gateway, session) });
    await run({ ...story, gateway, open });
    // Nothing of the page is under way any more when the gateway ends.
    await story.page.goto("about:blank");
  });
}

/** The key that a session is made with. */
export async function keyOf(gateway: Gateway, holder: SessionHolder): Promise<string> {
  if (holder === "manager") return gateway.managementKey;
  if (holder === "key holder") return gateway.apiKey;
  const fields = { name: "For looking only", read_only: true };
  const { body } = await managed(gateway, { call: "POST /management-keys", body: fields });
  return z.string().parse(body.key);
}

interface SignInOptions {
  readonly gateway: Pick<Gateway, "url">;
  readonly key: string;
}

const answerSchema = z.object({ data: consoleSessionSchema });

/** A session as the console's page makes it. */
export interface OpenedSession {
  readonly id: string;
  readonly csrf: string;
  readonly cookie: { readonly name: string; readonly value: string };
}

/** Opens a session. Throws where the gateway refuses. */
export async function openSession({ gateway, key }: SignInOptions): Promise<OpenedSession> {
  const response = await fetch(`${gateway.url}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: gateway.url },
    body: JSON.stringify({ key }),
  });
  const body = await response.json();
  assert.equal(response.status, 201, JSON.stringify(body));
  const { id, csrf } = answerSchema.parse(body).data;
  const [, name = "", value = ""] = /^([^=]+)=([^;]+)/.exec(response.headers.get("set-cookie") ?? "") ?? [];
  return { id, csrf, cookie: { name, value } };
}

/** Opens a session and gives its cookie to the browser. */
export async function signIn(context: BrowserContext, options: SignInOptions): Promise<OpenedSession> {
  const session = await openSession(options);
  await context.addCookies([{
    ...session.cookie,
    url: options.gateway.url,
    httpOnly: true,
    sameSite: "Strict",
  }]);
  return session;
}

/** Types a key into the sign-in page and sends it. */
export async function signInByPage(page: Page, key: string): Promise<void> {
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Resolves when the frame around the pages is there. */
export async function signedIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
