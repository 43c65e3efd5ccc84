// The files that scripts load by name. packaging/page/build_page.py writes this module: names of files hold digests.

/**
 * path: beside the scripts and the page; what ends in .gz is packed. size, sha256: of the content. packed: bytes to
 * load.
 * @typedef {{path: string, size: number, packed: number, sha256: string}} FileEntry
 */

/** @type {Record<string, FileEntry>} */
export const FILES = {};
