/** The messages at the edge of the page. */

import { app } from "../app.ts";
import type { Toast, ToastTone } from "../toasts.ts";
import { commonText } from "../text/common.ts";
import { Icon, type IconName } from "./icon.tsx";

const signs: { readonly [T in ToastTone]: IconName } = { good: "good", bad: "alert", plain: "good" };

function ToastBox({ toast }: { readonly toast: Toast }) {
  const { id, tone, text, action } = toast;
  return (
    <div class="toast">
      <Icon name={signs[tone]} tone={tone === "plain" ? undefined : tone} />
      <p>{text}</p>
      <span class="row">
        {action !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => {
              app.toasts.dismiss(id);
              action.run();
            }}
          >
            {action.label}
          </button>
        )}
        <button
          type="button"
          class="button button-icon button-plain"
          aria-label={commonText.dismiss}
          onClick={() => app.toasts.dismiss(id)}
        >
          <Icon name="close" />
        </button>
      </span>
    </div>
  );
}

export function ToastList() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {app.toasts.list.value.map((toast) => <ToastBox key={toast.id} toast={toast} />)}
    </div>
  );
}
