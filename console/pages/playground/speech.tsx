/** Speech: a text in, its sound out, to be heard and kept. */

import { app } from "../../app.ts";
import { Refusal } from "../../components/callout.tsx";
import { Id } from "../../components/copy.tsx";
import { SelectField, TextAreaField, TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { Empty } from "../../components/page.tsx";
import { formatBytes, formatMs, formatUsd } from "../../format.ts";
import type { PlayModel } from "../../models/playground/play_models.ts";
import { type Sound, Speech } from "../../models/playground/speech.ts";
import type { Standing } from "../../models/playground/standing.ts";
import { composeText, playgroundText, settingsText, speechText, turnText } from "../../text/playground.ts";
import { ModelField } from "./settings.tsx";
import { Paying } from "./paying.tsx";

function VoiceField({ speech, voices }: { readonly speech: Speech; readonly voices: readonly string[] }) {
  const { voice } = speech.form.value;
  if (voices.length === 0) {
    return (
      <TextField
        label={speechText.voice}
        hint={speechText.voiceHint}
        value={voice}
        onInput={(text) => speech.set({ voice: text })}
      />
    );
  }
  return (
    <SelectField
      label={speechText.voice}
      hint={speechText.voiceHint}
      choices={["", ...voices].map((value) => ({ value, text: value === "" ? "–" : value }))}
      value={voice}
      onChange={(chosen) => speech.set({ voice: chosen })}
    />
  );
}

const isBadSpeed = (text: string): boolean =>
  text.trim() !== "" && !(Number(text) >= 0.25 && Number(text) <= 4);

function Player({ sound }: { readonly sound: Sound }) {
  const { url, size, generationId, figures: { cost, firstMs, totalMs } } = sound;
  return (
    <section class="box box-pad stack" aria-label={speechText.sound}>
      <audio controls src={url} aria-label={speechText.sound} />
      <p class="meterline" role="status">
        {cost !== undefined && <b>{formatUsd(cost, 4)}</b>}
        <span>{formatBytes(size)}</span>
        <span>{turnText.first} {formatMs(firstMs ?? 0)}</span>
        <span>{turnText.total} {formatMs(totalMs ?? 0)}</span>
        {generationId !== undefined && (app.session.isManager.value
          ? <a href={app.router.link("/requests", { receipt: generationId })}>{turnText.receipt}</a>
          : <Id id={generationId} />)}
        <a class="button push" href={url} download="speech.mp3">
          <Icon name="download" />
          {speechText.download}
        </a>
      </p>
    </section>
  );
}

function SpeechForm({ speech, workspaceId, canRun }: {
  readonly speech: Speech;
  readonly workspaceId: string | undefined;
  readonly canRun: boolean;
}) {
  const { text, speed } = speech.form.value;
  const isReady = canRun && text.trim() !== "" && !isBadSpeed(speed);
  return (
    <form
      class="box box-pad stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !speech.isBusy.value) void speech.speak(workspaceId);
      }}
    >
      <TextAreaField
        label={speechText.text}
        hint={canRun ? undefined : playgroundText.readOnly}
        rows={6}
        value={text}
        onInput={(next) => speech.set({ text: next })}
      />
      <div class="row">
        {speech.isBusy.value
          ? (
            <button type="button" class="button" onClick={() => speech.stop()}>
              <Icon name="halt" />
              {composeText.stop}
            </button>
          )
          : (
            <button type="submit" class="button button-primary" disabled={!isReady}>
              <Icon name="sound" />
              {speechText.speak}
            </button>
          )}
        {speech.isBusy.value && <span class="soft" role="status">{speechText.speaking}</span>}
      </div>
    </form>
  );
}

export function SpeechView(props: {
  readonly speech: Speech;
  readonly voices: readonly PlayModel[];
  readonly standing: Standing;
  readonly workspaceId: string | undefined;
  readonly canRun: boolean;
}) {
  const { speech, voices, standing } = props;
  const { model, speed } = speech.form.value;
  if (voices.length === 0) {
    return (
      <section class="box">
        <Empty icon="sound" title={speechText.noVoices} text={speechText.noVoicesText} />
      </section>
    );
  }
  return (
    <div class="play">
      <div class="talk">
        <SpeechForm {...props} />
        <Refusal title={speechText.refused} error={speech.problem.value} />
        {speech.sound.value !== undefined && <Player sound={speech.sound.value} />}
      </div>
      <aside class="side" aria-label={settingsText.label}>
        <div class="box">
          <section>
            <ModelField
              label={settingsText.model}
              value={model}
              models={voices}
              onChange={(next) => speech.set({ model: next, voice: "" })}
            />
            <VoiceField speech={speech} voices={voices.find(({ id }) => id === model)?.voices ?? []} />
            <TextField
              label={speechText.speed}
              hint={speechText.speedHint}
              problem={isBadSpeed(speed) ? speechText.badSpeed : undefined}
              value={speed}
              onInput={(text) => speech.set({ speed: text })}
            />
          </section>
          <Paying standing={standing} />
        </div>
      </aside>
    </div>
  );
}
