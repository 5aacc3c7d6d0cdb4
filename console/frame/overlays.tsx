/** The palette and the health dialog, opened from anywhere by keyboard or button. */

import { useEffect } from "preact/hooks";
import { app } from "../app.ts";
import { HealthDialog } from "./health.tsx";
import { Palette } from "./palette.tsx";

export function Overlays() {
  const manager = app.session.isManager.value;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // One dialog at a time: an open form keeps the screen.
      if (document.querySelector("dialog[open]") === null) app.overlay.value = "palette";
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  if (!manager) return null;
  if (app.overlay.value === "palette") return <Palette />;
  return app.overlay.value === "health" ? <HealthDialog /> : null;
}
