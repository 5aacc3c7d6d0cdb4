/** Texts of the page of Connect clients. */

import { countOf } from "../../format.ts";

export const clientsText = {
  title: "Connect clients",
  newClient: "New client",
  caption: "Connect clients: applications that make keys for their own users",
  search: "Search clients",
  searchHint: "Name or label",
  unreadable: "The clients could not be read",
  columns: { name: "Name", workspace: "Workspace", created: "Created", state: "State" },
  none: "No Connect client yet",
  noneText:
    "A Connect client is an application that makes keys for its own users, with a secret of its own. It reaches no other keys.",
  notFound: "No client found",
  notFoundText: (q: string) =>
    q === "" ? "This workspace has no Connect client." : `No client here has words that begin with “${q}”.`,
  showAll: "Show all clients",
  count: (shown: number, all: number) =>
    shown === all
      ? countOf(all, ["client", "clients"])
      : `${shown} of ${countOf(all, ["client", "clients"])}`,
  on: "On",
  revoked: "Revoked",
} as const;

export const clientPanelText = {
  previous: "Previous client",
  next: "Next client",
  facts: "About this client",
  workspace: "Workspace",
  label: "Secret",
  noSecret: "none: it is revoked",
  created: "Created",
  changed: "Changed",
  revokedAt: "Revoked",
  never: "never",
  use: "How it makes keys",
  useText:
    "With its secret in place of a key. The keys belong to the workspace above, and to the user that is named.",
  terminal: "In a terminal",
  keys: "Its keys",
  keysOf: (shown: number, all: number) =>
    shown < all
      ? `${shown} of ${countOf(all, ["key", "keys"])} stay valid, newest first`
      : `${countOf(all, ["key", "keys"])} ${all === 1 ? "stays" : "stay"} valid`,
  noKeys: "It has no keys. It can be deleted.",
  showKeys: "Show its keys",
  moreKeys: "Show more",
  more: "More",
  rotate: "Rotate secret",
  revoke: "Revoke client",
  delete: "Delete client",
  deleteHint: "Only a client without keys can be deleted: delete its keys first, or revoke it.",
} as const;

export const newClientText = {
  title: "New Connect client",
  name: "Name",
  nameHint: "The application. Up to 255 characters.",
  nameMissing: "A client needs a name.",
  workspace: "Workspace",
  workspaceHint: "Its keys are made there.",
  create: "Create client",
  failed: "The client was not created",
  ready: (name: string) => `Client ${name} is ready`,
} as const;

export const rotateClientText = {
  title: (name: string) => `Rotate secret of ${name}`,
  text: "A new secret takes the place of the old one. Keys that the client has made stay as they are.",
  rotate: "Rotate secret",
  failed: "The secret was not rotated",
  ready: (name: string) => `The new secret of ${name}`,
} as const;

export const revokeClientText = {
  title: (name: string) => `Revoke client ${name}`,
  text:
    "Its secrets end at once, and it makes no more keys. Keys that it has made stay valid. This cannot be undone.",
  revoke: (name: string) => `Revoke client ${name}`,
  revoked: (name: string) => `Client ${name} was revoked.`,
  failed: "The client was not revoked",
} as const;

export const deleteClientText = {
  title: (name: string) => `Delete client ${name}`,
  text: "Its secrets end at once. It is gone for good.",
  delete: (name: string) => `Delete client ${name}`,
  deleted: (name: string) => `Client ${name} was deleted.`,
  failed: "The client was not deleted",
} as const;
