/** Texts of the page of presets. */

import { countOf } from "../format.ts";

export const presetsText = {
  title: "Presets",
  newPreset: "New preset",
  caption: "Presets, those changed last first",
  search: "Search presets",
  searchHint: "Name, slug or description",
  status: "State",
  anyStatus: "any",
  statuses: { active: "Active", disabled: "Disabled", archived: "Archived" },
  unreadable: "The presets could not be read",
  columns: {
    name: "Name",
    version: "Version",
    workspace: "Workspace",
    description: "Description",
    changed: "Changed",
    status: "State",
  },
  none: "No preset yet",
  noneText:
    "A preset keeps the settings of requests under a name: a model, a temperature, tools, the text that instructs the model. Requests name it instead of repeating them.",
  notFound: "No preset found",
  notFoundText: "No preset has this search and these filters.",
  showAll: "Remove all filters",
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["preset", "presets"])
      : `${shown} of ${countOf(all, ["preset", "presets"])}`,
} as const;

export const presetFields = {
  name: "Name",
  nameMissing: "A preset needs a name.",
  description: "Description",
  status: "State",
  statusHint: "Requests that name a preset which is not active are refused.",
  slug: "Slug",
  slugHint: "Up to 64 lower-case letters, digits, _ and -, the first of them a letter or a digit.",
  taken: (slug: string) => `${slug} is there already. Open it to save a new version.`,
  workspace: "Workspace",
  api: "Request to",
  apis: { chat: "Chat Completions", responses: "Responses", messages: "Messages" },
  body: "Body of the request (JSON)",
  bodyHint:
    "Its settings are kept, and the text that instructs the model. Other messages, input and stream are not.",
  bodyMissing: "Paste the body of a request.",
  noObject: "A JSON object is needed, in braces.",
  noJson: (why: string) => `It is no JSON: ${why}`,
} as const;

export const presetPanelText = {
  previous: "Previous preset",
  next: "Next preset",
  unreadable: "The preset could not be read",
  notSaved: "The preset was not saved",
  gone: "Somebody has deleted this preset",
  saved: "The preset was saved.",
  use: "Use it",
  copy: (model: string) => `Copy ${model}`,
  tryIt: "Try in playground",
  about: "Name and state",
  version: (number: number) => `Version ${number}`,
  newest: "newest",
  shown: "shown above",
  instructions: "Text that instructs the model",
  settings: "Settings",
  noSettings: "It keeps no settings, only the text.",
  asJson: "As a body of Chat Completions",
  versions: "Versions",
  versionsUnreadable: "The versions could not be read",
  columns: { version: "Version", saved: "Saved" },
  older: "Show older versions",
  saveVersion: "Save new version",
  useAgain: (number: number) => `Use version ${number} again`,
  usedAgain: (number: number) => `Version ${number} is the newest now.`,
  notUsedAgain: "The version was not saved again",
  delete: "Delete preset",
} as const;

export const savePresetText = {
  newTitle: "New preset",
  versionTitle: (name: string) => `New version of ${name}`,
  create: "Save preset",
  saveVersion: "Save version",
  saving: "Saving …",
  failed: "The preset was not saved",
  created: (slug: string) => `Preset ${slug} was saved.`,
  versionSaved: (number: number) => `Version ${number} was saved.`,
  same: (number: number) => `Version ${number} says this already.`,
} as const;

export const deletePresetText = {
  title: (slug: string) => `Delete preset ${slug}`,
  text:
    "Requests that name it are refused from the next one on. Its versions are deleted with it. It cannot be undone.",
  delete: (slug: string) => `Delete preset ${slug}`,
  deleted: (slug: string) => `Preset ${slug} was deleted.`,
  failed: "The preset was not deleted",
} as const;
