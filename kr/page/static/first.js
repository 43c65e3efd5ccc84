// How the page looks until its scripts have come: as preferences.js has kept it, so that nothing changes then.

try {
  const {data, style} = JSON.parse(localStorage.getItem("kr-looks") ?? ""),
    {documentElement: page} = document;
  Object.assign(page.dataset, data);
  page.style.cssText = style;
} catch {
  // nothing is kept, or nothing may be
}
