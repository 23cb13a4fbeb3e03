// Elements of the page, made with their attributes and children.

"use strict";

function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(text, name, act) {
  const made = element("button", { type: "button", "aria-label": name, title: name }, text);
  made.addEventListener("click", act);
  return made;
}
