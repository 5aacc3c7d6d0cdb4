/** Texts of the Files page. */

export const filesText = {
  title: "Files",
  upload: "Upload",
  workspace: "Workspace",
  allWorkspaces: "all workspaces",
  search: "Search files",
  searchHint: "Any part of the name",
  notFound: "No file found",
  notFoundText: (q: string) => `No file has “${q}” in its name.`,
  notFoundUntil: (q: string, moment: string) => `No file since ${moment} has “${q}” in its name.`,
  further: "Look further back",
  showAll: "Show all files",
  caption: (workspace: string) => `Files of ${workspace}`,
  unreadable: "The files could not be read",
  columns: { name: "Name", kind: "Kind", size: "Size", created: "Created", actions: "Actions" },
  none: "No file yet",
  noneText:
    "Files that applications upload or that tools make stand here. Drop some onto this page to upload them.",
  count: (from: number, to: number) => to === 0 ? "No files" : `Files ${from} to ${to}, newest first`,
  download: (name: string) => `Download ${name}`,
  drop: "Drop files to upload them",
  uploading: (name: string, share: string) => `Uploading ${name}: ${share}`,
  uploadedTo: (name: string, workspace: string) => `${name} was uploaded to ${workspace}.`,
  uploadFailed: (name: string, why: string) => `${name} was not uploaded. ${why}`,
  cancel: (name: string) => `Stop uploading ${name}`,
  stopped: (name: string) => `The upload of ${name} was stopped.`,
} as const;

export const filePanelText = {
  previous: "Previous file",
  next: "Next file",
  download: "Download",
  notDownloadable: "This file was uploaded by a client. Only files that the server made can be downloaded.",
  preview: "Preview",
  noPreview: "There is no preview of this kind of file. Download it to open it.",
  tooLarge: (most: string) => `There is no preview of files over ${most}. Download it to open it.`,
  previewFailed: "The preview could not be read",
  firstLines: (lines: string) => `First ${lines}, as text`,
  asText: "As text",
  about: "About",
  id: "File id",
  kind: "Kind",
  size: "Size",
  created: "Created",
  workspace: "Workspace",
  delete: "Delete file …",
} as const;

export const deleteFileText = {
  title: (name: string) => `Delete ${name}?`,
  text: "Requests that name it are refused from then on. It cannot be undone.",
  keep: "Keep it",
  delete: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `${name} was deleted.`,
  failed: "The file was not deleted",
} as const;
