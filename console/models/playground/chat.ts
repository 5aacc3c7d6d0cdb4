/** A conversation: messages, and for each of them the answers of one model or of two side by side. */

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Attachment } from "./attachments.ts";
import type { Json } from "./json.ts";
import type { PlayModel } from "./play_models.ts";
import { playgroundText } from "../../text/playground.ts";
import { messageItem, requestBody, type UserMessage } from "./request_body.ts";
import { Run, type RunDeps } from "./run.ts";
import { RunSettings, type StoredSettings } from "./settings.ts";
import { type ChatStorage, readChat, writeChat } from "./stored_chat.ts";

export interface Turn {
  readonly message: UserMessage;
  readonly runs: Signal<readonly Run[]>;
}

interface ChatDeps extends RunDeps {
  readonly storage: ChatStorage;
  /** The workspace that a manager runs it for. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
  readonly models: ReadonlySignal<readonly PlayModel[] | undefined>;
}

/** Settings are written once they have rested for so many ms: a conversation may be long. */
const KEEP_MS = 300;
/** Bytes of files up to which a route is explained while somebody types. */
const MOST_EXPLAINED_BYTES = 1_000_000;

export class Chat {
  readonly #deps: ChatDeps;
  #isLeft = false;
  #cancelKeep: (() => void) | undefined;
  readonly settings = new RunSettings();
  readonly turns = signal<readonly Turn[]>([]);
  /** Messages that were sent since the page was loaded. */
  readonly sent = signal(0);
  readonly draft = signal("");
  readonly attachments = signal<readonly Attachment[]>([]);
  /** Number of the turn whose message is written anew; undefined where none is. */
  readonly editing = signal<number | undefined>(undefined);
  /** The conversation is too long for the tab: a reload would lose it. */
  readonly isUnkept = signal(false);
  readonly isBusy = computed(() =>
    this.turns.value.some(({ runs }) => runs.value.some((run) => !run.isOver.value))
  );
  readonly canSend = computed(() =>
    !this.isBusy.value && this.settings.problems.value.size === 0 &&
    (this.draft.value.trim() !== "" || this.attachments.value.length > 0)
  );

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    const stored = readChat(deps.storage);
    if (stored === undefined) return;
    this.settings.values.value = stored.settings;
    this.draft.value = stored.draft;
    this.turns.value = stored.turns.map(({ message, runs }) => ({
      message,
      runs: signal(runs.map((run) => Run.restore(run))),
    }));
  }

  /** Input of a model: all turns before, as its column has them. */
  #history(turns: readonly Turn[], column: number): readonly Json[] {
    return turns.flatMap(({ message, runs }) => {
      const answer = runs.value[column] ?? runs.value[0];
      return [messageItem(message), ...answer?.output ?? []];
    });
  }

  /** The body of the next message for a model, or of the last where none is written. */
  body(model: string, column = 0): Json {
    const draft = { text: this.draft.value.trim(), attachments: this.attachments.value };
    const turns = this.turns.value.slice(0, this.editing.value);
    const isWritten = draft.text !== "" || draft.attachments.length > 0;
    const last = turns.at(-1)?.message;
    const [before, message] = isWritten || last === undefined ? [turns, draft] : [turns.slice(0, -1), last];
    const isEmpty = message.text === "" && message.attachments.length === 0;
    const shown = isEmpty ? { ...message, text: playgroundText.example } : message;
    const input = [...this.#history(before, column), messageItem(shown)];
    return requestBody(this.settings.values.value, { model, input });
  }

  /** The same where it is small enough to be asked about; undefined where its files are not. */
  explainedBody(model: string): Json | undefined {
    const turns = this.turns.value.flatMap(({ message }) => message.attachments);
    const bytes = [...turns, ...this.attachments.value].reduce((sum, { size }) => sum + size, 0);
    return bytes > MOST_EXPLAINED_BYTES ? undefined : this.body(model);
  }

  /** Sends what is written to the models, a column each. */
  send(models: readonly string[]): void {
    if (!this.canSend.value) return;
    const message = { text: this.draft.value.trim(), attachments: this.attachments.value };
    const before = this.turns.value.slice(0, this.editing.value);
    this.#run(before, { message, models });
    batch(() => {
      this.draft.value = "";
      this.attachments.value = [];
      this.editing.value = undefined;
    });
  }

  /** Asks for the last answers once more. */
  repeat(models: readonly string[]): void {
    const last = this.turns.value.at(-1);
    if (last === undefined || this.isBusy.value) return;
    this.#run(this.turns.value.slice(0, -1), { message: last.message, models });
  }

  #run(
    before: readonly Turn[],
    { message, models }: { readonly message: UserMessage; readonly models: readonly string[] },
  ): void {
    const inputs = models.map((model, column) => {
      const input = [...this.#history(before, column), messageItem(message)];
      return { model, body: requestBody(this.settings.values.value, { model, input }) };
    });
    const runs = inputs.map(({ model }) => new Run(model, this.#deps));
    this.turns.value = [...before, { message, runs: signal(runs) }];
    this.sent.value++;
    const known = this.#deps.models.value ?? [];
    for (const [at, run] of runs.entries()) {
      const { model, body } = inputs[at] ?? { model: "", body: {} };
      const prices = known.find(({ id }) => id === model);
      const workspaceId = this.#deps.workspaceId.value;
      void run.start({ model, body, workspaceId, prices }).then(() => this.keep());
    }
    this.keep();
  }

  stop(): void {
    for (const { runs } of this.turns.value) {
      for (const run of runs.value) run.stop();
    }
  }

  /** The key has signed out: what is under way ends, and nothing is written any more. */
  leave(): void {
    this.#isLeft = true;
    for (const { runs } of this.turns.value) {
      for (const run of runs.value) run.abandon();
    }
  }

  edit(turn: number): void {
    const message = this.turns.value[turn]?.message;
    if (message === undefined || this.isBusy.value) return;
    batch(() => {
      this.editing.value = turn;
      this.draft.value = message.text;
      this.attachments.value = message.attachments;
    });
  }

  cancelEdit(): void {
    batch(() => {
      this.editing.value = undefined;
      this.draft.value = "";
      this.attachments.value = [];
    });
  }

  clear(): void {
    this.stop();
    batch(() => {
      this.turns.value = [];
      this.cancelEdit();
    });
    this.keep();
  }

  change(settings: Partial<StoredSettings>): void {
    this.settings.set(settings);
    this.#cancelKeep?.();
    this.#cancelKeep = this.#deps.clock.after(KEEP_MS, () => this.keep());
  }

  /** Writes it into the tab, so that it is there after a reload. */
  keep(): void {
    this.#cancelKeep?.();
    if (this.#isLeft) return;
    const turns = this.turns.value.map(({ message, runs }) => ({
      message,
      runs: runs.value.map((run) => run.store()),
    }));
    const [settings, draft] = [this.settings.values.value, this.draft.value];
    this.isUnkept.value = !writeChat(this.#deps.storage, { settings, draft, turns });
  }

  /** Puts a conversation back that was cleared. */
  restore(turns: readonly Turn[]): void {
    this.turns.value = turns;
    this.keep();
  }
}
