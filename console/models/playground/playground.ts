/** The playground of a session: its conversation, its models, and what holds for a run. */

import { computed, effect, type ReadonlySignal, untracked } from "@preact/signals";
import type { RunDeps } from "./run.ts";
import { operation } from "../../api.ts";
import { Chat } from "./chat.ts";
import { settingsOf } from "./from_receipt.ts";
import { isVoice, isWriter, playModels } from "./play_models.ts";
import { Speech, speechBody } from "./speech.ts";
import { Standing } from "./standing.ts";
import { browserStorage } from "./stored_chat.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");

export const playModes = ["chat", "compare", "speech"] as const;
export type PlayMode = (typeof playModes)[number];

interface PlaygroundDeps extends RunDeps {
  readonly keyHash: string;
  /** The workspace that a manager runs it for; undefined for a key holder. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class Playground {
  readonly deps: PlaygroundDeps;
  readonly models: ReturnType<typeof playModels>;
  readonly chat: Chat;
  readonly speech: Speech;
  readonly standing: Standing;
  /** Models that write, and those that speak. */
  readonly writers;
  readonly voices;

  constructor(deps: PlaygroundDeps) {
    this.deps = deps;
    const { keyHash, workspaceId } = deps;
    this.models = playModels(deps);
    this.chat = new Chat({
      ...deps,
      storage: browserStorage(keyHash),
      workspaceId,
      models: this.models.data,
    });
    this.speech = new Speech(deps);
    this.standing = new Standing(deps);
    const all = computed(() => this.models.data.value ?? []);
    this.voices = computed(() => all.value.filter(isVoice));
    this.writers = computed(() => all.value.filter(isWriter));
  }

  /** Chooses what is not chosen yet, and what is no longer there. Runs while the page is open. */
  watchChoices(): () => void {
    return effect(() => {
      const [writers, voices] = [this.writers.value, this.voices.value];
      untracked(() => {
        const { model, otherModel } = this.chat.settings.values.value;
        const [first, second = first] = writers;
        if (first === undefined || second === undefined) return;
        if (model === "") this.chat.change({ model: first.id });
        if (otherModel === "") this.chat.change({ otherModel: second.id });
      });
      const [voice] = voices;
      if (voice !== undefined && this.speech.form.peek().model === "") this.speech.set({ model: voice.id });
    });
  }

  /** Takes over the settings of a request; false where it has no receipt. */
  async openReceipt(id: string): Promise<boolean> {
    const { data: [receipt] } = await this.deps.api.call(listReceipts, { query: { id } });
    if (receipt === undefined) return false;
    const { otherModel } = this.chat.settings.values.value;
    this.chat.change({ ...settingsOf(receipt), otherModel });
    if (receipt.api === "speech") this.speech.set({ model: receipt.requested_model ?? "" });
    return true;
  }

  /** The models of a mode, one for each answer. */
  modelsOf(mode: PlayMode): readonly string[] {
    const { model, otherModel } = this.chat.settings.values.value;
    return mode === "compare" ? [model, otherModel] : [model];
  }

  /** The call that is to be copied as a program. */
  callOf(mode: PlayMode) {
    if (mode === "speech") {
      return { api: "audio/speech", body: speechBody(this.speech.form.value) } as const;
    }
    return { api: "responses", body: this.chat.body(this.chat.settings.values.value.model) } as const;
  }
}
