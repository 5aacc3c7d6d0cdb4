/** The pages: address, name, sign, and who may open them. Each is loaded when it is first opened. */

import type { ComponentType } from "preact";
import type { IconName } from "../components/icon.tsx";
import type { ConsoleSession } from "../../shared/console.ts";
import { pageNames } from "../text/frame.ts";

export interface PageRow {
  /** Below `/console`. */
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** The kinds of session that it is for. */
  readonly who: readonly ConsoleSession["kind"][];
  /** Pages of one group stand together in the rail. */
  readonly group: number;
  readonly load: () => Promise<{ readonly page: ComponentType }>;
}

export const pages: readonly PageRow[] = [
  {
    path: "",
    name: pageNames.overview,
    icon: "overview",
    who: ["management"],
    group: 1,
    load: () => import("./overview.tsx"),
  },
  {
    path: "",
    name: pageNames.myKey,
    icon: "key",
    who: ["api"],
    group: 1,
    load: () => import("./my_key.tsx"),
  },
  {
    path: "/requests",
    name: pageNames.requests,
    icon: "requests",
    who: ["management"],
    group: 1,
    load: () => import("./requests.tsx"),
  },
  {
    path: "/keys",
    name: pageNames.keys,
    icon: "key",
    who: ["management"],
    group: 2,
    load: () => import("./keys.tsx"),
  },
  {
    path: "/workspaces",
    name: pageNames.workspaces,
    icon: "workspace",
    who: ["management"],
    group: 2,
    load: () => import("./workspaces.tsx"),
  },
  {
    path: "/guardrails",
    name: pageNames.guardrails,
    icon: "shield",
    who: ["management"],
    group: 2,
    load: () => import("./guardrails.tsx"),
  },
  {
    path: "/presets",
    name: pageNames.presets,
    icon: "keep",
    who: ["management"],
    group: 2,
    load: () => import("./presets.tsx"),
  },
  {
    path: "/tags",
    name: pageNames.tags,
    icon: "check",
    who: ["management"],
    group: 2,
    load: () => import("./tags.tsx"),
  },
  {
    path: "/byok",
    name: pageNames.byok,
    icon: "plug",
    who: ["management"],
    group: 2,
    load: () => import("./byok.tsx"),
  },
  {
    path: "/clients",
    name: pageNames.clients,
    icon: "link",
    who: ["management"],
    group: 2,
    load: () => import("./clients.tsx"),
  },
  {
    path: "/files",
    name: pageNames.files,
    icon: "file",
    who: ["management"],
    group: 3,
    load: () => import("./files.tsx"),
  },
  {
    path: "/models",
    name: pageNames.models,
    icon: "model",
    who: ["management"],
    group: 3,
    load: () => import("./models.tsx"),
  },
  {
    path: "/playground",
    name: pageNames.playground,
    icon: "playground",
    who: ["management", "api"],
    group: 3,
    load: () => import("./playground.tsx"),
  },
  {
    path: "/api",
    name: pageNames.api,
    icon: "code",
    who: ["management", "api"],
    group: 3,
    load: () => import("./api.tsx"),
  },
  {
    path: "/audit",
    name: pageNames.audit,
    icon: "history",
    who: ["management"],
    group: 4,
    load: () => import("./audit.tsx"),
  },
  {
    path: "/destinations",
    name: pageNames.destinations,
    icon: "send",
    who: ["management"],
    group: 4,
    load: () => import("./destinations.tsx"),
  },
  {
    path: "/settings",
    name: pageNames.settings,
    icon: "settings",
    who: ["management"],
    group: 4,
    load: () => import("./settings.tsx"),
  },
];

/** The pages that a session of a kind may open. */
export function pagesFor(kind: ConsoleSession["kind"]): readonly PageRow[] {
  return pages.filter(({ who }) => who.includes(kind));
}
