// Elements from names, properties and children. Text is always text: nothing here reads markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "checked" || name === "selected") element[name] = value;
    else if (name === "value") continue;
    else element.setAttribute(name, value === true ? "" : value);
  }
  const shown = children.flat().filter(child => child !== null && child !== undefined && child !== false);
  element.append(...shown.map(child => typeof child === "string" ? visible(child) : child));
  // a select has no value before its options
  if (props && props.value !== undefined && props.value !== null) element.value = props.value;
  return element;
}

// Text as kr.text.visible_lines shows it: control characters and marks of direction, which may come from a file, are
// escaped.
export const visible = text => text.replace(/[^\P{C}\n\t]|[\u2028\u2029]/gu, each => {
  const code = each.codePointAt(0).toString(16);
  return each === "\r" ? "\\r" : code.length < 3 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
});

export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

export function button(text, onclick, props) {
  return el("button", {type: "button", onclick, ...props}, text);
}
