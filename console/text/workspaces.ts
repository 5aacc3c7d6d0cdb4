/** Texts of the Workspaces page. */

const budgetPeriods = { daily: "a day", weekly: "a week", monthly: "a month", lifetime: "in all" } as const;

export const workspacesText = {
  title: "Workspaces",
  newWorkspace: "New workspace",
  caption: "Workspaces",
  columns: {
    name: "Workspace",
    spent: "Spent this month",
    budget: "Spent of budget",
    keys: "Active keys",
    requests: "Requests",
    created: "Created",
    actions: "Actions",
  },
  noBudget: "no budget",
  ofBudget: (limit: string, interval: "daily" | "weekly" | "monthly" | "lifetime") =>
    `${limit} ${budgetPeriods[interval]}`,
  showKeys: "Show these keys",
  unreadable: "The workspaces could not be read",
  search: "Search workspaces",
  searchHint: "Name or slug",
  notFound: "No workspace found",
  notFoundText: (q: string) => `No workspace has a word that begins with “${q}”.`,
  count: (shown: number, all: number) => {
    const every = all === 1 ? "1 workspace" : `${all} workspaces`;
    return shown === all ? every : `${shown} of ${every}`;
  },
  none: "No workspace",
  noneText: "A workspace holds keys, budgets, guardrails and files of a team or an application.",
  delete: (name: string) => `Delete workspace ${name}`,
} as const;

export const workspacePanelText = {
  previous: "Previous workspace",
  next: "Next workspace",
  month: "this month (UTC)",
  showKeys: "Show the keys",
  showRequests: "Show the requests",
  showFiles: "Show the files",
  unreadable: "The workspace could not be read",
  budgets: "Budgets over all keys",
  intervals: { daily: "A day", weekly: "A week", monthly: "A month", lifetime: "In all" },
  spent: {
    daily: (usd: string) => `${usd} spent today`,
    weekly: (usd: string) => `${usd} spent this week`,
    monthly: (usd: string) => `${usd} spent this month`,
    lifetime: () => "Never resets",
  },
  noBudget: "none",
  usd: "USD",
  mustRise: (interval: string, usd: string) => `Has to be above ${interval} with ${usd}.`,
  below: { daily: "a day", weekly: "a week", monthly: "a month", lifetime: "all" },
  isBad: "Write an amount such as 80.00, above 0.",
  byok: "Count provider keys of the workspace",
  byokHint: "Calls over its own provider keys count towards its budgets.",
  defaults: "When a request does not say",
  textModel: "Model for text",
  imageModel: "Model for images",
  modelHint: "A model id such as openai/gpt-5.5; empty for the gateway's own.",
  sort: "Providers by",
  sorts: { none: "Weighted", price: "Price", throughput: "Throughput", latency: "Latency", exacto: "Exacto" },
  tools: "Disabled server tools",
  toolsHint: "Names, separated by commas, such as web_search.",
  name: "Name",
  slug: "Slug",
  slugHint: "Lower-case words joined by hyphens. It stands in addresses.",
  description: "Description",
  about: "Name",
  members: "Members",
  noMembers: "No member is named.",
  addMember: "Add",
  memberLabel: "User to add",
  memberHint: "As your organization names users.",
  removeMember: (user: string) => `Remove ${user}`,
  delete: "Delete",
  deleteHint: "Active keys have to be deleted or disabled first.",
  deleteButton: "Delete workspace …",
  saved: "The workspace was saved.",
  warnings: "Saved, but to know",
  notSaved: "The workspace was not saved",
  gone: "Somebody has deleted this workspace",
  notAdded: "The member was not added",
} as const;

export const newWorkspaceText = {
  title: "New workspace",
  nameMissing: "A workspace needs a name.",
  create: "Create workspace",
  failed: "The workspace was not created",
  created: (name: string) => `Workspace ${name} was created.`,
} as const;

export const deleteWorkspaceText = {
  title: (name: string) => `Delete workspace ${name}?`,
  text:
    "This removes its disabled keys, budgets, guardrails, provider keys, files and members. It cannot be undone.",
  receipts: "Receipts stay, so that what was spent can still be looked up.",
  defaultTitle: "Delete the default workspace?",
  defaultLead: "No other takes its place.",
  defaultText:
    "Keys that are made without a workspace are refused from then on until one is named, and scripts that expect “default” stop working.",
  type: (slug: string) => `Type ${slug} to confirm`,
  keep: "Keep it",
  delete: (name: string) => `Delete workspace ${name}`,
  deleted: (name: string) => `Workspace ${name} was deleted.`,
  failed: "The workspace was not deleted",
  blockedTitle: (name: string) => `${name} cannot be deleted yet`,
  blocked: (count: string) =>
    `${count} of its keys are still active. Delete or disable them first; applications that use them are refused from then on.`,
  activeKey: "Active key",
  spentToday: "Today",
  goToKeys: "Go to its keys",
  looking: "Looking for active keys …",
} as const;
