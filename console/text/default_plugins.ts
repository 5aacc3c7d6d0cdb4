/** Texts for the plugins of a workspace's requests. */

export const defaultPluginsText = {
  title: "Plugins",
  hint: "For requests that do not name the plugin. Locked: no request can change it.",
  modes: {
    request: "When requested",
    on: "On",
    off: "Off",
    always: "Locked on",
    never: "Locked off",
  },
  about: {
    "moderation": "A service judges the input first.",
    "file-parser": "Reads documents as text.",
    "web-fetch": "Fetches the addresses of the last message.",
    "web": "Searches the web before the model answers.",
    "response-healing": "Heals JSON that a model has written with faults.",
    "context-compression": "Fits long input into the model.",
    "auto-router": "Chooses the model.",
    "auto-beta-router": "Chooses the model.",
    "pareto-router": "Chooses the model.",
    "fusion": "Asks several models.",
    "switchyard-router": "Has no effect.",
  },
  /** `reason`: of the gateway. */
  notSetUp: (plugin: string, reason: string) => `On this gateway ${plugin} ${reason}`,
  settings: (plugin: string) => `Settings of ${plugin}`,
  settingsHint: 'A JSON object, such as {"max_results": 3}; empty for its own.',
  noObject: "Write a JSON object, or nothing.",
  fault: (sentence: string) => `${sentence}.`,
  on: (plugin: string, settings: string) => settings === "" ? `${plugin} on` : `${plugin} on ${settings}`,
  off: (plugin: string) => `${plugin} off`,
  locked: (what: string) => `${what} (locked)`,
} as const;
