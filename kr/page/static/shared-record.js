// A record that the browser keeps and all its tabs share: a change begins with what another tab has kept meanwhile.

/** @typedef {{kept: (name: string, otherwise?: any) => any, keep: (name: string, value: unknown) => void}} Store */

/** @template Content JSON */
export class SharedRecord {
  /**
   * @param {Store} store
   * @param {string} name
   * @param {{isContent: (told: unknown) => told is Content, otherwise: () => Content}} how isContent: what is kept may
   *     be of another version; otherwise: what it is before anything was kept
   */
  constructor(store, name, {isContent, otherwise}) {
    this._store = store;
    this._name = name;
    this._isContent = isContent;
    const kept = store.kept(name);
    /** @type {Content} */
    this.all = isContent(kept) ? kept : otherwise();
    this._seen = JSON.stringify(kept);
  }

  /** Takes what another tab has kept since. A store that keeps nothing, as it is full, takes nothing away. */
  refresh() {
    const kept = this._store.kept(this._name),
      text = JSON.stringify(kept);
    if (text === this._seen || !this._isContent(kept)) return false;
    this.all = kept;
    this._seen = text;
    return true;
  }

  /** Keeps other content in place of what is here; false if the browser did not. @param {Content} content */
  put(content) {
    this.all = content;
    return this.keep();
  }

  /** Keeps the record; false if the browser did not, such as for want of room. */
  keep() {
    this._store.keep(this._name, this.all);
    this._seen = JSON.stringify(this._store.kept(this._name));
    return this._seen === JSON.stringify(this.all);
  }
}
