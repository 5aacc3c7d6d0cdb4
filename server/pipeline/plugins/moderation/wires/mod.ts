/** Every way to ask for verdicts. */

import type { ModerationWireId } from "../../../../../shared/moderation.ts";
import { llamaGuard } from "./llama_guard.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";
import { policy } from "./policy.ts";
import type { ModerationWire } from "./wire.ts";

const wires: { readonly [W in ModerationWireId]: ModerationWire } = {
  openai,
  mistral,
  "llama-guard": llamaGuard,
  policy,
};

export const moderationWire = (id: ModerationWireId): ModerationWire => wires[id];
