/** The mock of every wire on which we call, for tests that go over all of them; `apis_test.ts` asks for the missing ones. */

import type { WireId } from "../../server/protocols/canonical/item.ts";
import { startBedrockMock } from "./bedrock_upstream.ts";
import { startChatMock } from "./chat_upstream.ts";
import { startGeminiMock } from "./gemini_upstream.ts";
import { startMessagesMock } from "./messages_upstream.ts";
import { startResponsesMock } from "./responses_upstream.ts";
import type { Mock, MockOptions } from "./serve.ts";

export interface Upstream {
  readonly start: (options?: MockOptions) => Mock;
  /** A model's name there begins so: by it a wire knows what the model takes. `mock-429` and the like may follow. */
  readonly prefix: string;
}

export const upstreams = {
  responses: { start: startResponsesMock, prefix: "" },
  chat: { start: startChatMock, prefix: "" },
  messages: { start: startMessagesMock, prefix: "claude-haiku-4-5-" },
  gemini: { start: startGeminiMock, prefix: "gemini-4-" },
  bedrock: { start: startBedrockMock, prefix: "anthropic.claude-haiku-4-5-" },
} as const satisfies { readonly [W in WireId]?: Upstream };

export type MockedWire = keyof typeof upstreams;

export const upstreamWires: readonly MockedWire[] = Object.keys(upstreams).filter((
  name,
): name is MockedWire => name in upstreams);
