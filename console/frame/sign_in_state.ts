/** State of the sign-in page beyond the session's. */

import { signal } from "@preact/signals";

/** The one-time link of the address did not work. */
export const linkFailed = signal(false);
