// What the scripts beside this one have alike; it stands before each of them. All text goes in as text.

let words = {}; // what stands here in English, in the language of the reader

/** The text in the reader's language, its named blanks filled; what fills one is not searched for blanks. */
const say = (text, blanks = {}) => filled(words[text] ?? text, blanks);
/** The text itself, for a `say` where it is shown. */
const mark = (text) => text;
const filled = (text, blanks) => text.replace(/\{(\w+)\}/g, (blank, name) => blanks[name] ?? blank);

const drawn = new WeakMap();

/** What is drawn in this element: made at the first drawing, and the same at every later one. */
function drawnIn(parent, Kind) {
  if (!drawn.has(parent)) drawn.set(parent, new Kind(parent));
  return drawn.get(parent);
}

/** What Streamlit calls once the element is gone. */
const ends = (parent) => () => {
  drawn.get(parent).close();
  drawn.delete(parent);
};

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name === "click") element.onclick = value;
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter(Boolean));
  return element;
}

const make = (tag, kind = "", text = "") => el(tag, { class: kind || false, text });

/** A text of files, models and people: in its own direction, and in no known language. */
const foreign = (tag, kind, text) => el(tag, { class: kind, dir: "auto", lang: "", text });

/** The row of a table that an arrow, Home or End leads to from the one that has the focus, if any. */
function rowByKey(event, row) {
  if (!row || event.altKey || event.ctrlKey || event.metaKey) return null;
  const rows = [...row.parentElement.children];
  const index = rows.indexOf(row);
  const places = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 };
  if (!(event.key in places)) return null;
  event.preventDefault();
  return rows[Math.min(Math.max(places[event.key], 0), rows.length - 1)];
}
