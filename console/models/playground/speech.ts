/** A text that is spoken: asked for, played, kept as a file. */

import { signal } from "@preact/signals";
import { queryOf } from "../../api.ts";
import { toError } from "../../resource.ts";
import { readCharge } from "./charge.ts";
import type { Json } from "./json.ts";
import type { RunDeps, RunFigures } from "./run.ts";

interface SpeechForm {
  readonly model: string;
  readonly voice: string;
  readonly text: string;
  /** From 0.25 to 4, as it was typed. */
  readonly speed: string;
}

export interface Sound {
  /** Names bytes in this page's memory, until it is released. */
  readonly url: string;
  /** Bytes. */
  readonly size: number;
  readonly generationId: string | undefined;
  readonly figures: RunFigures;
}

export function speechBody({ model, voice, text, speed }: SpeechForm): Json {
  const factor = Number(speed);
  return {
    model,
    input: text,
    response_format: "mp3",
    ...voice.trim() === "" ? {} : { voice: voice.trim() },
    ...speed.trim() === "" || factor === 1 ? {} : { speed: factor },
  };
}

export class Speech {
  readonly #deps: RunDeps;
  readonly form = signal<SpeechForm>({ model: "", voice: "", text: "", speed: "" });
  readonly sound = signal<Sound | undefined>(undefined);
  readonly problem = signal<Error | undefined>(undefined);
  readonly isBusy = signal(false);
  #abort: AbortController | undefined;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  set(changes: Partial<SpeechForm>): void {
    this.form.value = { ...this.form.value, ...changes };
  }

  stop(): void {
    this.#abort?.abort();
  }

  async speak(workspaceId: string | undefined): Promise<void> {
    const { signal } = this.#abort = new AbortController();
    this.isBusy.value = true;
    this.problem.value = undefined;
    this.release();
    try {
      this.sound.value = await this.#read(workspaceId, signal);
    } catch (error) {
      if (!signal.aborted) this.problem.value = toError(error);
    } finally {
      this.isBusy.value = false;
    }
    await this.#charge();
  }

  async #read(workspaceId: string | undefined, signal: AbortSignal): Promise<Sound> {
    const begunAt = performance.now();
    const address = `/console/api/playground/audio/speech${queryOf({ workspace_id: workspaceId })}`;
    const response = await this.#deps.api.send("POST", address, {
      body: speechBody(this.form.value),
      signal,
    });
    const firstMs = performance.now() - begunAt;
    const bytes = await response.arrayBuffer();
    return {
      url: URL.createObjectURL(new Blob([bytes], { type: "audio/mpeg" })),
      size: bytes.byteLength,
      generationId: response.headers.get("x-generation-id") ?? undefined,
      figures: { firstMs, totalMs: performance.now() - begunAt },
    };
  }

  /** Sound carries no cost: its receipt says it. */
  async #charge(): Promise<void> {
    const sound = this.sound.value;
    if (sound?.generationId === undefined) return;
    const charge = await readCharge(this.#deps, sound.generationId);
    if (charge !== undefined && this.sound.value === sound) {
      this.sound.value = { ...sound, figures: { ...sound.figures, cost: charge.cost } };
    }
  }

  /** Frees the bytes of the sound that is not shown any more. */
  release(): void {
    if (this.sound.value !== undefined) URL.revokeObjectURL(this.sound.value.url);
    this.sound.value = undefined;
  }
}
