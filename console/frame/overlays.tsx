/** The palette and the health dialog, opened from anywhere by keyboard or button. */

import { app } from "../app.ts";
import { useKeys } from "../components/use_keys.ts";
import { HealthDialog } from "./health.tsx";
import { Palette } from "./palette.tsx";

export function Overlays() {
  const manager = app.session.isManager.value;
  useKeys((event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    // One dialog at a time: an open form keeps the screen.
    if (document.querySelector("dialog[open]") === null) app.overlay.value = "palette";
  });
  if (!manager) return null;
  if (app.overlay.value === "palette") return <Palette />;
  return app.overlay.value === "health" ? <HealthDialog /> : null;
}
