// Texts that are pasted and files that are dropped, anywhere on the page.

/**
 * @param {{files: (files: readonly File[]) => void, text: (text: string) => void}} take gets them, from now on
 */
export function takeAnywhere({files: takeFiles, text: takeText}) {
  document.addEventListener("paste", event => {
    const place = /** @type {Element} */ (event.target),
      data = event.clipboardData;
    if (!data || place.closest?.("input, textarea, select, [contenteditable], dialog")) return;
    const files = [...data.files],
      text = data.getData("text/plain");
    if (!files.length && !text.trim()) return;
    event.preventDefault();
    if (files.length) takeFiles(files);
    else takeText(text);
  });
  document.addEventListener("dragover", event => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", event => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    takeFiles([...event.dataTransfer.files]);
  });
}
