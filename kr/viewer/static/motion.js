// Whether things move on the page: as the device says, unless the person has said so here.

/** True if nothing is to glide, fade or wait for show. */
export function isStill() {
  const {motion} = document.documentElement.dataset;
  return motion ? motion === "less" : matchMedia("(prefers-reduced-motion: reduce)").matches;
}
