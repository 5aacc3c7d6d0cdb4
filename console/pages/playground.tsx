/** Playground: a model is tried before any code is written. Runs are ordinary requests; conversations stay in the tab. */

import { computed, effect, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../app.ts";
import { Callout } from "../components/callout.tsx";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { Playground, type PlayMode, playModes } from "../models/playground/playground.ts";
import { toError } from "../resource.ts";
import { playgroundText, settingsText } from "../text/playground.ts";
import { shownWorkspace } from "../workspaces.ts";
import { Composer } from "./playground/composer.tsx";
import { CopyDialog } from "./playground/copy_dialog.tsx";
import { Settings } from "./playground/settings.tsx";
import { SpeechView } from "./playground/speech.tsx";
import { useFollow } from "./playground/use_follow.ts";
import { Talk } from "./playground/talk.tsx";

const shownId = computed(() => shownWorkspace.value?.id);

/** One for each key that signs in here, so that an answer goes on while another page is looked at. */
const playgrounds = new Map<string, Playground>();

/** One who signs out leaves nothing; where a session has only run out, its holder may come back. */
effect(() => {
  const state = app.session.state.value;
  if (state.status !== "signed_out" || !["none", "other_tab"].includes(state.reason)) return;
  for (const play of playgrounds.values()) play.chat.leave();
  playgrounds.clear();
});

// What rests for a moment before it is written must not be lost by a reload.
addEventListener("pagehide", () => {
  for (const play of playgrounds.values()) play.chat.keep();
});

function playgroundOf(keyHash: string): Playground {
  const known = playgrounds.get(keyHash);
  if (known !== undefined) return known;
  const { api, clock, session } = app;
  const made = new Playground({
    api,
    clock,
    keyHash,
    isManager: session.isManager.peek(),
    workspaceId: shownId,
  });
  playgrounds.set(keyHash, made);
  return made;
}

function usePlayground(): Playground {
  const keyHash = app.session.current.value?.key_hash ?? "";
  const play = useMemo(() => playgroundOf(keyHash), [keyHash]);
  const id = shownId.value;
  useEffect(() => {
    if (play.deps.isManager && id === undefined) return;
    return whenConnected(() => {
      void play.models.load();
      void play.standing.key.load();
    });
  }, [play, id]);
  useEffect(() => play.watchChoices(), [play]);
  const isBusy = play.chat.isBusy.value || play.speech.isBusy.value;
  // What a run has spent is shown when it is over.
  useEffect(() => {
    if (!isBusy && play.standing.key.data.peek() !== undefined) void play.standing.key.load();
  }, [play, isBusy]);
  return play;
}

/**
 * Where the address names a model or a request that is to be tried, it is chosen, once. Tells whether the settings are
 * those of a request.
 */
function useAddress(play: Playground): boolean {
  const isTaken = useSignal(false);
  const id = app.router.query.value.get("from");
  const model = app.router.query.value.get("model");
  useEffect(() => {
    if (model === undefined) return;
    play.chat.change({ model });
    app.router.setQuery({ model: undefined });
  }, [play, model]);
  useEffect(() => {
    if (id === undefined || !play.deps.isManager) return;
    play.openReceipt(id).then((found) => {
      isTaken.value = found;
      app.router.setQuery({ from: undefined });
    }, (error) => app.toasts.show(toError(error).message, { tone: "bad" }));
  }, [play, id]);
  return isTaken.value;
}

/** Asks what would become of the next run, whenever that changes. */
function useRoute(play: Playground, mode: PlayMode): void {
  const { chat, standing } = play;
  const { value: settings } = chat.settings.values;
  const hash = standing.key.data.value?.hash;
  const isAsked = mode !== "speech" && settings.model !== "" && hash !== undefined;
  useEffect(() => {
    if (isAsked) standing.explainSoon(() => chat.explainedBody(settings.model));
    return () => standing.stop();
  }, [
    play,
    isAsked,
    hash,
    settings,
    chat.draft.value,
    chat.attachments.value,
    chat.editing.value,
    chat.turns.value,
  ]);
}

const modeOf = (text: string | undefined): PlayMode => playModes.find((mode) => mode === text) ?? "chat";

function beginAnew({ chat }: Playground): void {
  const turns = chat.turns.peek();
  chat.clear();
  if (turns.length === 0) return;
  const action = { label: playgroundText.undo, run: () => chat.restore(turns) };
  app.toasts.show(playgroundText.cleared, { action });
}

const modeIcons = { chat: "playground", compare: "columns", speech: "sound" } as const;

function Modes({ mode }: { readonly mode: PlayMode }) {
  return (
    <nav class="segments" aria-label={playgroundText.mode}>
      {playModes.map((one) => (
        <a
          key={one}
          href={app.router.link("/playground", { mode: one === "chat" ? undefined : one })}
          aria-current={one === mode ? "page" : undefined}
        >
          <Icon name={modeIcons[one]} />
          {playgroundText.modes[one]}
        </a>
      ))}
    </nav>
  );
}

function Conversation({ play, mode }: { readonly play: Playground; readonly mode: "chat" | "compare" }) {
  const { chat, standing, writers } = play;
  const session = app.session.current.value;
  const canRun = session?.kind === "api" || app.session.canChange.value;
  const talk = useFollow(chat.sent.value);
  return (
    <div class={`play${mode === "compare" ? " play-compare" : ""}`}>
      <div class="talk" ref={talk} role="region" aria-label={playgroundText.conversation}>
        <Talk chat={chat} />
        <Composer chat={chat} models={play.modelsOf(mode)} known={writers.value} canRun={canRun} />
        <p class="small faint">{chat.isUnkept.value ? playgroundText.unkept : playgroundText.stays}</p>
      </div>
      <aside class="side" aria-label={settingsText.label}>
        <Settings chat={chat} models={writers.value} standing={standing} compares={mode === "compare"} />
      </aside>
    </div>
  );
}

function Content({ play, mode }: { readonly play: Playground; readonly mode: PlayMode }) {
  const { models: { failure, data, load }, writers, voices, speech, standing } = play;
  if (failure.value !== undefined) {
    return (
      <FailureBox
        title={playgroundText.unreadable}
        failure={failure.value}
        onRetry={() => void load()}
      />
    );
  }
  if (mode === "speech" && data.value !== undefined) {
    const canRun = !play.deps.isManager || app.session.canChange.value;
    const { value: workspaceId } = shownId;
    return (
      <SpeechView
        speech={speech}
        voices={voices.value}
        standing={standing}
        workspaceId={workspaceId}
        canRun={canRun}
      />
    );
  }
  if (data.value !== undefined && writers.value.length === 0) {
    return (
      <section class="box">
        <Empty icon="model" title={playgroundText.noModel} text={playgroundText.noModelText} />
      </section>
    );
  }
  return <Conversation play={play} mode={mode === "compare" ? mode : "chat"} />;
}

export function page() {
  const play = usePlayground();
  const mode = modeOf(app.router.query.value.get("mode"));
  const isCopying = useSignal(false);
  useRoute(play, mode);
  const isFromReceipt = useAddress(play);
  const actions = (
    <>
      <Modes mode={mode} />
      <button
        type="button"
        class="button"
        onClick={() => {
          isCopying.value = true;
        }}
      >
        <Icon name="code" />
        {playgroundText.copyAs}
      </button>
      {mode !== "speech" && (
        <button type="button" class="button" onClick={() => beginAnew(play)}>
          <Icon name="plus" />
          {playgroundText.new}
        </button>
      )}
    </>
  );
  return (
    <>
      <Page title={playgroundText.title} actions={actions}>
        {isFromReceipt && (
          <Callout tone="plain" live="status">
            <p>{playgroundText.fromReceipt}</p>
          </Callout>
        )}
        <Content play={play} mode={mode} />
      </Page>
      {isCopying.value && (
        <CopyDialog
          call={play.callOf(mode)}
          onClose={() => {
            isCopying.value = false;
          }}
        />
      )}
    </>
  );
}
