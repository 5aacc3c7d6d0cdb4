/** Texts of the frame around the pages, and of sign-in. */

import type { SessionEndReason } from "../../shared/console.ts";
import { countOf, shortId } from "../format.ts";

export const frameText = {
  product: "Tollgate",
  skip: "Skip to content",
  rail: "Console",
  pages: "Pages",
  menu: "Menu",
  search: "Search, or go to",
  searchShort: "Search",
  theme: "Light or dark",
  signOut: "Sign out",
  allWorkspaces: "All workspaces",
  workspace: "Workspace",
  sessionEnds: "Session ends",
  readOnly: "read-only",
  notFound: "There is no page here",
  notFoundText: "The address may be mistyped, or the page belongs to another kind of key.",
  toOverview: "Go to the start",
  pageFailed: "The page could not be loaded",
  pageBroken: "Its script did not arrive whole, or not at all. Load the page again.",
  noConnection: "No connection",
  loadsWhenBack: "This page was not open before. It loads by itself when the gateway is back.",
  updated: "The console was updated since this page was opened. Load it again.",
  reload: "Load again",
  lost: (time: string) => `No connection to the gateway since ${time} UTC.`,
  lostDetail: (seconds: number) =>
    `What you see is from then. ${seconds > 0 ? `Trying again in ${seconds} s.` : "Trying again."}`,
  tryNow: "Try now",
} as const;

export const signInText = {
  title: "Sign in",
  refused: "The console cannot be used from here",
  key: "Key",
  keyHint: "It is exchanged for a session and not kept in this browser.",
  placeholder: "tg-mgmt-… or tg-api-…",
  showKey: "Show the key",
  empty: "Paste a key first.",
  submit: "Sign in",
  signingIn: "Signing in …",
  wrongKey: (left: number | undefined) =>
    `No key with this text exists, or it is disabled.${
      left === undefined ? "" : ` ${left} of 5 attempts ${left === 1 ? "is" : "are"} left in this minute.`
    }`,
  tooMany: (seconds: number) =>
    `No key with this text exists, or it is disabled. After so many wrong keys from this address, wait ${seconds} s before the next.`,
  usedLink: "This link was used already or is older than 10 minutes. Sign in with a key instead.",
  kinds: [
    ["Management key", "Everything: spend, keys, workspaces, files."],
    ["Read-only", "The same pages, without changes."],
    ["API key", "Your own spend and limits."],
  ],
  version: (version: string) => `Version ${version}`,
} as const;

/** Why somebody who was signed in is not any more; undefined where nobody was. */
export function endedText(
  reason: SessionEndReason | "other_tab",
  page: string | undefined,
): readonly [string, string] | undefined {
  const back = page === undefined ? "Sign in again." : `Sign in and you are back on ${page}, where you were.`;
  switch (reason) {
    case "none":
      return undefined;
    case "other_tab":
      return ["You were signed out", `, in another tab of this browser. ${back}`];
    case "idle":
      return ["Your session has ended", ` after 30 minutes without use. ${back}`];
    case "expired":
      return ["Your session has ended", ` 8 hours after you signed in. ${back}`];
    case "ended":
      return ["Your session was ended", `, here or by a manager. ${back}`];
    case "key":
      return [
        "Your session has ended",
        `, because its key was disabled, rotated, deleted or has expired. Sign in with another key.`,
      ];
  }
}

export const pageNames = {
  overview: "Overview",
  requests: "Requests",
  keys: "Keys",
  workspaces: "Workspaces",
  guardrails: "Guardrails",
  presets: "Presets",
  tags: "Tag rules",
  byok: "Provider keys",
  clients: "Connect clients",
  files: "Files",
  models: "Models and providers",
  playground: "Playground",
  api: "API",
  audit: "Audit",
  destinations: "Destinations",
  settings: "Settings",
  myKey: "My key",
} as const;

export const paletteText = {
  label: "Search and commands",
  input: "Search, or go to",
  results: "Results",
  pages: "Pages",
  requests: "Requests",
  request: (id: string) => `Request ${shortId(id)}`,
  keys: "Keys",
  workspaces: "Workspaces",
  lists: "Lists",
  unusedKeys: "Keys unused for 30 days",
  refusedKeys: "Keys refused at their limit",
  expiringKeys: "Keys expiring soon",
  managementKeys: "Management keys",
  failedRequests: "Failed requests",
  sessions: "Sessions of requests",
  providers: "Providers and how they stand",
  route: "Explain a route",
  containers: "Containers",
  actions: "Actions",
  newKey: (workspace: string | undefined) => workspace === undefined ? "New key" : `New key in ${workspace}`,
  newWorkspace: "New workspace",
  nothing: (text: string) => `Nothing is called “${text}”.`,
  searching: "Searching …",
} as const;

export const healthText = {
  title: "Health",
  button: (words: string) => `${words}. Show health`,
  allWell: "All endpoints well",
  unused: "No endpoint used yet",
  cooling: (count: number, all: number) => `${count} of ${all} cooling down`,
  misconfigured: (count: number, all: number) => `${count} of ${all} refuse the key`,
  storeTrouble: "Store trouble",
  ledgerTrouble: "Ledger trouble",
  blobTrouble: "File storage trouble",
  unknown: "Health unknown",
  providers: "Providers",
  store: "Store",
  ledger: "Ledger",
  containers: "Containers",
  files: "Files",
  well: "Well",
  probe: (count: number) => `${countOf(count, ["endpoint", "endpoints"])} to be tried with the next request`,
  wellEndpoints: (count: number) => count === 1 ? "1 endpoint well" : `${count} endpoints well`,
  answers: (ms: string) => `Well · answers in ${ms}`,
  overrun: (usd: string) => `${usd} over every limit`,
  notConfigured: "Not configured",
  tried: "Being tried",
  engine: (name: string) => `Well · ${name}`,
  containerTrouble: "Container trouble",
  stored: (bytes: string) => `Well · ${bytes}`,
  instances: "Gateways",
  instanceCount: (running: number, ended: number) =>
    ended === 0 ? `${running} running` : `${running} running, ${ended} being recovered`,
  version: "Version",
} as const;
