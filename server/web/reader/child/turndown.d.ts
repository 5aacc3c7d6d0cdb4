/** Types of the parts that we use of packages that have none. */

declare module "turndown" {
  export interface TurndownOptions {
    readonly headingStyle: "atx";
    readonly codeBlockStyle: "fenced";
    readonly bulletListMarker: "-";
  }

  // deno-lint-ignore tollgate/no-default-export -- the package's own export
  export default class TurndownService {
    constructor(options: TurndownOptions);
    use(plugin: (service: TurndownService) => void): this;
    remove(filter: readonly string[]): this;
    turndown(html: string): string;
  }
}

declare module "@joplin/turndown-plugin-gfm" {
  import type TurndownService from "turndown";

  export const gfm: (service: TurndownService) => void;
}
