/** Error of audio that is read: the only one that this folder throws on purpose. */

/** `unsupported`: a codec that is not read here. `damaged`: not what it says it is. `empty`: no sound in it. */
type AudioErrorKind = "unsupported" | "damaged" | "empty";

/** Audio that cannot be read. An error of the source itself (a connection that broke) passes as it is. */
export class AudioError extends Error {
  override readonly name = "AudioError";
  readonly kind: AudioErrorKind;

  constructor(kind: AudioErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Runs what may throw for damaged bytes; whatever it throws becomes an AudioFault. */
export function asAudioError<T>(codec: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof AudioError) throw cause;
    throw new AudioError("damaged", `Cannot decode ${codec}: ${String(cause).slice(0, 120)}`, { cause });
  }
}
