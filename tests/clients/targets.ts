/** Targets of the official clients: the built-in model, and a mock provider of each wire. */

import OpenAI from "openai";
import { OpenRouter } from "@openrouter/sdk";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { startChatMock } from "../mocks/chat_upstream.ts";
import { startMessagesMock } from "../mocks/messages_upstream.ts";
import { startResponsesMock } from "../mocks/responses_upstream.ts";
import type { Mock, MockOptions } from "../mocks/serve.ts";
import {
  type Gateway,
  type GatewayOptions,
  mockModel,
  PROVIDER_KEY,
  providerAt,
  startGateway,
} from "../support/gateway.ts";

export type TargetName = "echo" | "responses" | "chat" | "messages";
export const targets: readonly TargetName[] = ["echo", "responses", "chat", "messages"];
export const mocked: readonly TargetName[] = ["responses", "chat", "messages"];

export interface Rig {
  readonly gateway: Gateway;
  /** Unmodified, but for the address and the key. */
  readonly openai: OpenAI;
  readonly openrouter: OpenRouter;
  readonly model: string;
  readonly target: TargetName;
  /** The provider; undefined for the built-in model. */
  readonly mock: Mock | undefined;
}

export type RigTest = (rig: Rig) => Promise<void>;

export interface RigOptions {
  readonly target: TargetName;
  readonly mock?: MockOptions;
  /** The model's name at the mock, which may ask for a fault. */
  readonly upstream?: string;
  readonly gateway?: Pick<GatewayOptions, "env" | "file">;
  /** Fields of the mocked model's row. */
  readonly row?: Readonly<Record<string, unknown>>;
}

function startMockOf({ target, mock }: RigOptions): Mock | undefined {
  const options = { apiKey: PROVIDER_KEY, ...mock };
  if (target === "echo") return undefined;
  if (target === "messages") return startMessagesMock(options);
  return target === "chat" ? startChatMock(options) : startResponsesMock(options);
}

/** On the messages wire the name says which family of models it is, and with that what it takes. */
const upstreamOf = ({ target, upstream = "mock-model" }: RigOptions) =>
  target === "messages" ? `claude-haiku-4-5-${upstream}` : upstream;

/** Runs a test on a target and leaves nothing behind. */
export async function withTarget(options: RigOptions, test: RigTest): Promise<void> {
  const { target } = options;
  const mock = startMockOf(options);
  try {
    const models = [{ ...mockModel, ...options.row, upstream_id: upstreamOf(options) }];
    const { env = {}, file } = options.gateway ?? {};
    await using gateway = await startGateway({
      file,
      env: { TOLLGATE_LOCAL: mock === undefined ? "on" : "off", ...env },
      providers: mock === undefined ? [] : [providerAt(mock.url, { wire: target, models })],
    });
    await test({ ...clientsOf(gateway), gateway, mock, target, model: mock ? "mock/model" : "local/echo" });
  } finally {
    await mock?.close();
  }
}

function clientsOf({ url, apiKey }: Gateway): Pick<Rig, "openai" | "openrouter"> {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
    openrouter: new OpenRouter({ serverURL: `${url}/api/v1`, apiKey, retryConfig: { strategy: "none" } }),
  };
}

/** Registers a test for each target. */
export function forEach(names: readonly TargetName[], name: string, test: RigTest): void {
  for (const target of names) {
    Deno.test(`${name}, on ${target}`, () => withTarget({ target }, test));
  }
}

/** Output goes back as input, as the documentation of the library has it; its types disagree in one rare item. */
export function asInput(output: readonly unknown[]): ResponseInputItem[] {
  return output as ResponseInputItem[];
}
