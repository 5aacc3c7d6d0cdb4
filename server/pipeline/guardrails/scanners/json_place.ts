/** Follows the grammar of JSON over the tokens of a text. Only lists and objects count: other values may be any text. */

type Expected =
  | "start"
  | "value"
  /** Or the end of the list that has just begun. */
  | "first item"
  | "name"
  /** Or the end of the object that has just begun. */
  | "first name"
  | "colon"
  | "next"
  | "end";

interface Container {
  readonly isObject: boolean;
  /** The name of the field that it is the value of. */
  readonly field: string | undefined;
}

export class JsonPlace {
  readonly #open: Container[] = [];
  #expects: Expected = "start";
  #name: string | undefined;
  #field: string | undefined;

  /** Whether nothing but white space may follow. */
  get isOver(): boolean {
    return this.#expects === "end";
  }

  get expectsName(): boolean {
    return this.#expects === "name" || this.#expects === "first name";
  }

  get allowsValue(): boolean {
    return this.#expects === "value" || this.#expects === "first item";
  }

  get allowsText(): boolean {
    return this.expectsName || this.allowsValue;
  }

  /** The name of the field whose value comes or has come; of a list's items that of the list. */
  get field(): string | undefined {
    return this.#field;
  }

  /** Whether a text may stand here. `name` says what it means, where it is a name. */
  takeText(name: () => string): boolean {
    if (!this.expectsName) return this.takeValue();
    this.#name = name();
    this.#expects = "colon";
    return true;
  }

  /** Whether a number, or `true`, `false` and `null`, may stand here. */
  takeValue(): boolean {
    if (!this.allowsValue) return false;
    this.#expects = "next";
    return true;
  }

  /** Whether one of `{}[],:` may stand here. */
  takeMark(mark: string): boolean {
    switch (mark) {
      case "{":
      case "[":
        return this.#enter(mark === "{");
      case "}":
        return this.#leave("first name", { isObject: true });
      case "]":
        return this.#leave("first item", { isObject: false });
      case ",":
        return this.#goOn("next", this.#open.at(-1)?.isObject === true ? "name" : "value");
      default:
        if (!this.#goOn("colon", "value")) return false;
        this.#field = this.#name;
        return true;
    }
  }

  #enter(isObject: boolean): boolean {
    if (this.#expects !== "start" && !this.allowsValue) return false;
    this.#open.push({ isObject, field: this.#field });
    this.#expects = isObject ? "first name" : "first item";
    return true;
  }

  #leave(first: Expected, { isObject }: Pick<Container, "isObject">): boolean {
    const last = this.#open.at(-1);
    if (last?.isObject !== isObject) return false;
    if (this.#expects !== first && this.#expects !== "next") return false;
    this.#open.pop();
    this.#field = last.field;
    this.#expects = this.#open.length === 0 ? "end" : "next";
    return true;
  }

  #goOn(from: Expected, to: Expected): boolean {
    if (this.#expects !== from) return false;
    this.#expects = to;
    return true;
  }
}
