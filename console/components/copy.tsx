/** Components to copy ids, secrets and code. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
import { shortId } from "../format.ts";
import { commonText } from "../text/common.ts";
import { Icon } from "./icon.tsx";

const SHOWN_MS = 1_500;

/** Copies a text and says so for a moment; says why where the browser refuses. */
function useCopy(text: string) {
  const copied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch (error) {
      app.toasts.show(commonText.copyFailed(error instanceof Error ? error.message : ""), { tone: "bad" });
      return;
    }
    copied.value = true;
    app.clock.after(SHOWN_MS, () => {
      copied.value = false;
    });
  };
  return { copied, copy };
}

export function CopyButton({ text, plain = false, label = commonText.copy }: {
  readonly text: string;
  readonly plain?: boolean;
  readonly label?: string;
}) {
  const { copied, copy } = useCopy(text);
  return (
    <button type="button" class={`button${plain ? " button-plain" : ""}`} onClick={copy}>
      <Icon name="copy" />
      <span data-copy-label aria-live="polite">{copied.value ? commonText.copied : label}</span>
    </button>
  );
}

/** An id in short; copies the whole. */
export function Id({ id }: { readonly id: string }) {
  const { copied, copy } = useCopy(id);
  return (
    <button type="button" class="id" title={`${commonText.copy} ${id}`} onClick={copy}>
      <span class="cut" aria-live="polite">{copied.value ? commonText.copied : shortId(id)}</span>
      <Icon name="copy" />
      <span class="unseen">{commonText.copy}</span>
    </button>
  );
}

/** A secret that is shown this once. */
export function Secret({ text }: { readonly text: string }) {
  return (
    <div class="secret">
      <code>{text}</code>
      <CopyButton text={text} />
    </div>
  );
}

export function CodeBlock({ title, code, head }: {
  readonly title: string;
  readonly code: string;
  /** Stands in the head instead of the title, such as a choice of languages. */
  readonly head?: ComponentChildren;
}) {
  return (
    <div class="code">
      <div class="code-head">
        {head ?? <span>{title}</span>}
        <span class="push">
          <CopyButton text={code} plain />
        </span>
      </div>
      <pre tabIndex={0} aria-label={title} role="region"><code>{code}</code></pre>
    </div>
  );
}
