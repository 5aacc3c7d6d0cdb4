/** What the sign-in page has to say beyond the session's state. */

import { signal } from "@preact/signals";

/** The one-time link of the address did not work. */
export const linkFailed = signal(false);
