// files.js is made by packaging/page/build_page.py.

/** A file beside the page: its address, bytes unpacked and as sent, checksum of the former. */
export interface PageFile {
  path: string;
  size: number;
  packed: number;
  sha256: string;
}
export const FILES: Record<string, PageFile>;
