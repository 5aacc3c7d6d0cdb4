/** The sign-in page: exchanges a key for a session, and says why an earlier one has ended. */

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { app } from "../app.ts";
import { ApiFailure } from "../api.ts";
import { Callout } from "../components/callout.tsx";
import { Field, type FieldIds } from "../components/forms/field.tsx";
import { Icon, Mark, ThemeIcon } from "../components/icon.tsx";
import { pages } from "../pages/mod.ts";
import { endedText, frameText, signInText } from "../text/frame.ts";
import { switchTheme } from "../settings/theme_setting.ts";
import { linkFailed } from "./sign_in_state.ts";

/** Describes a failure in the words of the page. */
function problemOf(error: unknown): string {
  if (!(error instanceof ApiFailure)) return error instanceof Error ? error.message : String(error);
  if (error.status === 429) return signInText.tooMany(error.retryAfter ?? 60);
  if (error.status !== 401) return error.message;
  const left = error.metadata.attempts_left;
  return signInText.wrongKey(typeof left === "number" ? left : undefined);
}

function useSignIn() {
  const key = useSignal("");
  const problem = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const text = key.value.trim();
    if (text === "") {
      problem.value = signInText.empty;
      return;
    }
    busy.value = true;
    try {
      await app.session.signIn(text);
      linkFailed.value = false;
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      busy.value = false;
    }
  };
  return { key, problem, busy, submit };
}

function Reason() {
  if (linkFailed.value) return <Callout tone="warn" live="status">{signInText.usedLink}</Callout>;
  const state = app.session.state.value;
  const page = pages.find(({ path }) => path === app.router.path.value)?.name;
  const ended = state.status === "signed_out" ? endedText(state.reason, page) : undefined;
  if (ended === undefined) return null;
  return (
    <Callout tone="warn" icon="clock" live="status">
      <p>
        <b>{ended[0]}</b>
        {ended[1]}
      </p>
    </Callout>
  );
}

function KeyInput({ ids, shown, value, onInput }: {
  readonly ids: FieldIds;
  readonly shown: boolean;
  readonly value: string;
  readonly onInput: (text: string) => void;
}) {
  const common = {
    ...ids,
    class: "input mono",
    autoComplete: "off",
    spellcheck: false,
    autoFocus: true,
    placeholder: signInText.placeholder,
    value,
    onInput: (event: Event & { readonly currentTarget: HTMLInputElement }) =>
      onInput(event.currentTarget.value),
  } as const;
  return shown ? <input {...common} type="text" /> : <input {...common} type="password" />;
}

function SignInForm() {
  const { key, problem, busy, submit } = useSignIn();
  const shown = useSignal(false);
  return (
    <form class="stack" noValidate onSubmit={submit}>
      <Field label={signInText.key} hint={signInText.keyHint} problem={problem.value}>
        {(ids) => (
          <div class="with">
            <KeyInput
              ids={ids}
              shown={shown.value}
              value={key.value}
              onInput={(text) => {
                key.value = text;
              }}
            />
            <button
              type="button"
              class="button button-icon button-plain"
              aria-label={signInText.showKey}
              aria-pressed={shown.value}
              onClick={() => {
                shown.value = !shown.value;
              }}
            >
              <Icon name="eye" />
            </button>
          </div>
        )}
      </Field>
      <button type="submit" class="button button-primary" disabled={busy.value}>
        {busy.value ? signInText.signingIn : signInText.submit}
      </button>
    </form>
  );
}

export function SignIn() {
  useLayoutEffect(() => {
    document.title = `${signInText.title} · ${frameText.product}`;
    document.querySelector<HTMLInputElement>("form input")?.focus();
  }, []);
  return (
    <div class="alone">
      <header>
        <span class="brand">
          <Mark />
          <span>{frameText.product}</span>
        </span>
        <span class="push">
          <button
            type="button"
            class="button button-icon button-plain"
            aria-label={frameText.theme}
            title={frameText.theme}
            onClick={switchTheme}
          >
            <ThemeIcon />
          </button>
        </span>
      </header>
      <main id="main">
        <div class="sign-in-card">
          <Reason />
          <div class="box">
            <h1>{signInText.title}</h1>
            <SignInForm />
          </div>
          <dl class="facts">
            {signInText.kinds.flatMap((
              [name, detail],
            ) => [<dt key={name}>{name}</dt>, <dd key={detail}>{detail}</dd>])}
          </dl>
        </div>
      </main>
      <footer>
        <span class="push">{location.host}</span>
      </footer>
    </div>
  );
}
