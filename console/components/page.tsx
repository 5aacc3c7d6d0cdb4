/** A page's head and content, and what stands there when it cannot be read or is empty. */

import type { ComponentChildren } from "preact";
import { app } from "../app.ts";
import { ApiFailure } from "../api.ts";
import { commonText } from "../text/common.ts";
import { Id } from "./copy.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface PageProps {
  readonly title: string;
  /** Beside the title, smaller. */
  readonly detail?: string;
  /** On the right: the one primary action, or the period. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, detail, actions, children }: PageProps) {
  return (
    <main id="main" tabIndex={-1} class={app.connection.lost.value ? "stale" : undefined}>
      <div class="page-head">
        <h1>
          {title}
          {detail !== undefined && <span class="faint">{detail}</span>}
        </h1>
        {actions}
      </div>
      {children}
    </main>
  );
}

export function Section({ title, note, action, children }: {
  readonly title: string;
  readonly note?: string;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {note !== undefined && <span class="faint small">{note}</span>}
        {action !== undefined && <span class="push">{action}</span>}
      </div>
      {children}
    </section>
  );
}

/** Says what would be here, and shows the action that brings it here. */
export function Empty({ icon, title, text, children }: {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} big />
      <h2>{title}</h2>
      <p>{text}</p>
      {children !== undefined && <div class="row row-wrap">{children}</div>}
    </div>
  );
}

/** A view that could not be read: what happened, and the way to try again. */
export function FailureBox({ title, failure, onRetry }: {
  readonly title: string;
  readonly failure: Error;
  readonly onRetry: () => void;
}) {
  const requestId = failure instanceof ApiFailure ? failure.requestId : undefined;
  return (
    <section class="box empty" role="alert">
      <Icon name="stop" tone="bad" big />
      <h2>{title}</h2>
      <p>{failure.message}</p>
      <div class="row">
        <button type="button" class="button button-primary" onClick={onRetry}>
          <Icon name="reload" />
          {commonText.readAgain}
        </button>
      </div>
      {requestId !== undefined && (
        <p class="small row">
          {commonText.request} <Id id={requestId} />
        </p>
      )}
    </section>
  );
}
