/**
 * Frees what a large array takes at once: the browser would keep it until it looks for garbage.
 * @param {Uint8Array} bytes which nobody needs any more
 */
export const release = bytes => /** @type {any} */ (bytes.buffer).transfer?.(0);
