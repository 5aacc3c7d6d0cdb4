/** A package of Python in the form in which it is published and loaded. */

export interface PythonWheel {
  readonly filename: string;
  readonly content: Uint8Array<ArrayBuffer>;
}
