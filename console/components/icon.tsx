/** Line icons on a grid of 16 pixels, drawn in the colour of the text. */

const icons = {
  attach:
    "m12.5 7.5-4.75 4.75a2.75 2.75 0 0 1-4-4L9 3a1.85 1.85 0 0 1 2.6 2.6L6.5 10.75a.9.9 0 0 1-1.3-1.3L9.5 5.25",
  alert: "M8 2 14.5 13.5h-13zM8 6.5v3.25M8 11.5v.1",
  arrow_down: "m4 6 4 4 4-4",
  arrow_right: "m6 4 4 4-4 4",
  arrow_up: "m4 10 4-4 4 4",
  check: "m3.5 8.5 3 3 6-7",
  clock: "M2 8a6 6 0 1 0 12 0A6 6 0 0 0 2 8zM8 4.5V8l2.25 1.5",
  close: "m4 4 8 8M12 4l-8 8",
  code: "m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5",
  columns: "M2.5 3H7v10H2.5zM9 3h4.5v10H9z",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  disabled: "M2 8a6 6 0 1 0 12 0A6 6 0 0 0 2 8zM4 12l8-8",
  download: "M8 2v8M4.75 7 8 10.25 11.25 7M2.5 13.5h11",
  edit: "m10.5 3 2.5 2.5L6 12.5l-3 .5.5-3z",
  eye: "M1.5 8S4 3.75 8 3.75 14.5 8 14.5 8 12 12.25 8 12.25 1.5 8 1.5 8zM6 8a2 2 0 1 0 4 0 2 2 0 0 0-4 0z",
  file: "M4 1.75h5l3 3v9.5H4zM9 1.75v3h3",
  folder: "M1.75 3.5h4.5l1.5 2h6.5v7.5H1.75z",
  good: "M2 8a6 6 0 1 0 12 0A6 6 0 0 0 2 8zM5.25 8.25l2 2 3.5-4",
  history: "M2.25 8a5.75 5.75 0 1 0 1.7-4.08L2.25 5.5M2.25 2.5v3h3M8 5v3.25l2 1.25",
  halt: "M4 4h8v8H4z",
  image: "M2 3h12v10H2zM2 11l3.5-3.5L9 11M8 10l2-2 4 4M10.5 6h.1",
  keep: "M4 1.75h8v12.5l-4-3-4 3z",
  key: "M2.25 8a2.75 2.75 0 1 0 5.5 0 2.75 2.75 0 0 0-5.5 0zM7.75 8h6M11.5 8v2.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  model: "m8 1.75 5.5 3.125v6.25L8 14.25l-5.5-3.125v-6.25zM2.5 4.875 8 8l5.5-3.125M8 8v6.25",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  offline:
    "M2 2l12 12M5.5 10.5a3 3 0 0 1 .5-.75M8 13h.01M3.5 8a6.5 6.5 0 0 1 2.25-1.5M1.5 5.5A9 9 0 0 1 4 3.9M8.5 6.05A6.5 6.5 0 0 1 12.5 8M7 3.05a9 9 0 0 1 7.5 2.45",
  overview: "M2.5 13.5h11M4 13.5V8M8 13.5V3M12 13.5V6",
  link:
    "M6.5 9.5a2.75 2.75 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.75.75M9.5 6.5a2.75 2.75 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l.75-.75",
  live: "M6 5 11 8 6 11zM2 8a6 6 0 1 0 12 0A6 6 0 0 0 2 8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  plug: "M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5",
  playground: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z",
  plus: "M8 3v10M3 8h10",
  requests: "M2.5 4h11M2.5 8h11M2.5 12h7",
  reload: "M13.5 8A5.5 5.5 0 1 1 11.75 4L13.5 5.5M13.5 2.5v3h-3",
  search: "M2.75 7a4.25 4.25 0 1 0 8.5 0 4.25 4.25 0 0 0-8.5 0zM10.25 10.25l3.25 3.25",
  send: "M8 13V3.5M4 7.25 8 3.25l4 4",
  settings:
    "M5.75 8a2.25 2.25 0 1 0 4.5 0 2.25 2.25 0 0 0-4.5 0zM8 1.75v1.5M8 12.75v1.5M1.75 8h1.5M12.75 8h1.5M3.58 3.58l1.06 1.06M11.36 11.36l1.06 1.06M3.58 12.42l1.06-1.06M11.36 4.64l1.06-1.06",
  shield: "M8 1.75 13 3.5v4c0 3.2-2 5.6-5 6.75-3-1.15-5-3.55-5-6.75v-4z",
  tool:
    "M13.5 4.5a3.5 3.5 0 0 1-4.75 3.25L4.5 12a1.4 1.4 0 0 1-2-2l4.25-4.25A3.5 3.5 0 0 1 11 2L9 4l.5 2.5L12 7z",
  sign_out: "M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6",
  sound: "M2.5 6v4h2.5l3.5 3V3L5 6zM11 5.5a3.5 3.5 0 0 1 0 5M12.75 3.5a6.25 6.25 0 0 1 0 9",
  stop: "M2 8a6 6 0 1 0 12 0A6 6 0 0 0 2 8zM5.75 5.75l4.5 4.5M10.25 5.75l-4.5 4.5",
  trash: "M2.5 4h11M6 4V2.5h4V4M4 4l.75 9.5h6.5L12 4M6.5 6.5v4.5M9.5 6.5v4.5",
  upload: "M8 10.5v-8M4.75 5.5 8 2.25l3.25 3.25M2.5 13.5h11",
  user: "M5.5 5a2.5 2.5 0 1 0 5 0 2.5 2.5 0 0 0-5 0zM2.75 14c0-3 2.25-4.75 5.25-4.75S13.25 11 13.25 14",
  workspace: "m8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
} as const;

export type IconName = keyof typeof icons;

export type Tone = "good" | "warn" | "bad" | "off";

export function Icon({ name, tone, big = false }: {
  readonly name: IconName;
  readonly tone?: Tone;
  readonly big?: boolean;
}) {
  const classes = ["icon", big ? "icon-big" : "", tone === undefined ? "" : `is-${tone}`];
  return (
    <svg class={classes.filter(Boolean).join(" ")} viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}

/** Light or dark: half of the disc is filled. */
export function ThemeIcon() {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 2.25v11.5A5.75 5.75 0 0 0 8 2.25z" fill="currentColor" />
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <rect class="mark-ground" width="22" height="22" rx="5" />
      <path class="mark-line" d="M6.5 5.5v11M6.5 8.5 16 6.3M11.5 13.5h4.5" />
    </svg>
  );
}
