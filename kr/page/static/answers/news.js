// News for a stream, from what goes on beside it.

/** The page has stopped the stream. */
export class Stopped extends Error {}

export class News {
  /** @param {AbortSignal} signal ends the waiting */
  constructor(signal) {
    this._signal = signal;
    this._isSet = false;
    /** @type {(() => void) | null} */
    this._wake = null;
    signal.addEventListener("abort", () => this._wake?.(), {once: true});
  }

  ring() {
    this._isSet = true;
    this._wake?.();
  }

  /** Waits for news since the last time; it rejects once the stream is stopped. */
  async wait() {
    if (!this._isSet && !this._signal.aborted) await new Promise(resolve => (this._wake = () => resolve(undefined)));
    this._wake = null;
    this._isSet = false;
    if (this._signal.aborted) throw new Stopped();
  }
}

/** @param {number} seconds */
export const pause = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));
