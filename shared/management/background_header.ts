/** Header of requests that the console's page makes by itself. Apart from the schemas, so that the page can use it without. */

/** Such a request does not lengthen its session. */
export const BACKGROUND_HEADER = "x-background";
