/** Texts of containers on the Files page. */

export const containersText = {
  view: "View",
  files: "Files",
  containers: "Containers",
  caption: (workspace: string) => `Containers of ${workspace}`,
  unreadable: "The containers could not be read",
  columns: { id: "Container", status: "State", files: "Files", size: "Size", used: "Last used" },
  none: "No container yet",
  noneText:
    "A container stands here once a model has run a command in it. Its files can be downloaded and kept.",
  count: (from: number, to: number) => to === 0 ? "No containers" : `Containers ${from} to ${to}`,
  running: "In use",
  sleeping: "Sleeping",
} as const;

export const containerPanelText = {
  previous: "Previous container",
  next: "Next container",
  files: "Files",
  caption: (id: string) => `Files of ${id}`,
  unreadable: "The files of the container could not be read",
  columns: { path: "Path", size: "Size", actions: "Actions" },
  none: "No file in the home folder",
  noneText: "Links and empty folders are not listed.",
  count: (from: number, to: number) => to === 0 ? "No files" : `Files ${from} to ${to}`,
  download: (path: string) => `Download ${path}`,
  keep: (path: string) => `Keep ${path} in the workspace's files`,
  kept: (path: string) => `${path} is now one of the workspace's files.`,
  notKept: (path: string, why: string) => `${path} was not kept. ${why}`,
  deleteFile: (path: string) => `Delete ${path}`,
  fileDeleted: (path: string) => `${path} was deleted.`,
  fileNotDeleted: (path: string, why: string) => `${path} was not deleted. ${why}`,
  last: "Last command",
  result: "Result",
  /** Whatever the status: a program may say with it what it has found. */
  exited: (code: number | null) => `Status ${code ?? "unknown"}`,
  timedOut: "Ended at its time limit",
  failed: "Ended by the gateway",
  started: "Started",
  took: "Took",
  languages: { bash: "Shell", python: "Python" },
  about: "About",
  id: "Container id",
  network: "Network",
  noNetwork: "None",
  created: "Created",
  used: "Last used",
  expires: "Deleted on",
  delete: "Delete container …",
} as const;

export const deleteContainerText = {
  title: () => "Delete this container?",
  text: "Its commands are ended and its files are deleted. Files that were kept stay. It cannot be undone.",
  keep: "Keep it",
  delete: () => "Delete container",
  deleted: () => "The container was deleted.",
  failed: "The container was not deleted",
} as const;
