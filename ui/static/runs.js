/* The runs of a workspace: heads sort, boxes select, a title opens; narrow, they are cards.
   All text goes in as text. */

const tables = new WeakMap();
let words = {}; // what stands here in English, in the language of the reader

/** The text in the reader's language, its named blanks filled. */
const say = (text, blanks = {}) =>
  (words[text] ?? text).replace(/\{(\w+)\}/g, (blank, name) => blanks[name] ?? blank);

class Runs {
  constructor(parent) {
    this.root = parent.querySelector(".runs");
    this.chosen = new Set();
    this.order = null; // as they come, newest first
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("change", (event) => this.change(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  update(data) {
    const texts = JSON.stringify(data);
    if (texts === this.texts) return;
    this.texts = texts;
    this.data = data;
    this.draw();
  }

  draw() {
    const table = make("table");
    table.lang = this.data.lang;
    const head = table.createTHead().insertRow();
    head.append(this.boxOfAll());
    this.data.columns.forEach((column, place) => head.append(this.heading(column, place)));
    const body = table.createTBody();
    for (const row of this.sorted()) body.append(this.row(row));
    this.root.replaceChildren(table);
  }

  sorted() {
    if (!this.order) return this.data.rows;
    const { place, descending } = this.order;
    const sign = descending ? -1 : 1;
    return [...this.data.rows].sort((one, other) => {
      const [a, b] = [one.cells[place].order, other.cells[place].order];
      // What has no value stands last in both directions.
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
    });
  }

  heading({ title, kind, width }, place) {
    const cell = make("th", kind);
    cell.scope = "col";
    cell.style.setProperty("--width", width);
    const button = make("button", "sort", title);
    button.dataset.place = place;
    const isSorted = this.order?.place === place;
    if (isSorted) cell.ariaSort = this.order.descending ? "descending" : "ascending";
    button.append(make("span", "arrow", isSorted ? (this.order.descending ? " ▼" : " ▲") : ""));
    cell.append(button);
    return cell;
  }

  boxOfAll() {
    const cell = make("th", "box");
    const box = check(say("Select all shown"), this.data.rows.length > 0 && this.data.rows.every((row) => this.chosen.has(row.id)));
    box.dataset.all = "1";
    cell.append(box);
    return cell;
  }

  row(row) {
    const line = make("tr");
    line.dataset.id = row.id;
    line.classList.toggle("chosen", this.chosen.has(row.id));
    const box = make("td", "box");
    box.append(check(say("Select {name}", { name: row.name }), this.chosen.has(row.id)));
    line.append(box);
    row.cells.forEach((cell, place) => {
      const { title, kind } = this.data.columns[place];
      const field = make("td", kind);
      field.dataset.title = title;
      if (kind === "title") {
        const open = make("button", "open", cell.lines[0]);
        open.dir = "auto";
        open.ariaLabel = say("Open {name}", { name: cell.lines[0] });
        field.append(open);
        if (row.baseline) field.append(make("span", "flag", say("Baseline")));
        for (const tag of row.tags) field.append(text("span", "tag", tag));
        if (row.note) field.append(text("span", "note", row.note));
      } else {
        for (const line of cell.lines) field.append(text("span", "line", line));
      }
      line.append(field);
    });
    return line;
  }

  click(event) {
    const sort = event.target.closest("button.sort");
    if (sort) {
      const place = Number(sort.dataset.place);
      this.order = { place, descending: this.order?.place === place && !this.order.descending };
      this.draw();
      this.root.querySelector(`button.sort[data-place="${place}"]`).focus();
      return;
    }
    if (event.target.closest(".box")) {
      // The whole cell is the box: a small one is hard to hit with a thumb.
      if (!event.target.matches("input")) event.target.closest(".box").querySelector("input").click();
      return;
    }
    const row = event.target.closest("tbody tr");
    // Who marks words to copy them does not open the run.
    if (row && (getSelection().isCollapsed || event.target.closest("button"))) this.open(row.dataset.id);
  }

  change(event) {
    const ids = event.target.dataset.all ? this.data.rows.map((row) => row.id) : [event.target.closest("tr").dataset.id];
    for (const id of ids) event.target.checked ? this.chosen.add(id) : this.chosen.delete(id);
    for (const line of this.root.querySelectorAll("tbody tr")) {
      const isChosen = this.chosen.has(line.dataset.id);
      line.classList.toggle("chosen", isChosen);
      line.querySelector("input").checked = isChosen;
    }
    this.root.querySelector("[data-all]").checked = this.data.rows.every((row) => this.chosen.has(row.id));
    this.select([...this.chosen]);
  }

  key(event) {
    const row = event.target.closest("tbody tr");
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const rows = [...row.parentElement.children];
    const index = rows.indexOf(row);
    const places = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 };
    if (event.key in places) {
      const kind = event.target.matches("input") ? "input" : "button";
      rows[Math.min(Math.max(places[event.key], 0), rows.length - 1)].querySelector(kind).focus();
      event.preventDefault();
    }
  }
}

function check(name, isChecked) {
  const box = make("input");
  box.type = "checkbox";
  box.ariaLabel = name;
  box.checked = isChecked;
  return box;
}

function text(name, kind, words) {
  const element = make(name, kind, words);
  element.dir = "auto";
  element.lang = "";
  return element;
}

function make(name, kind = "", words = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.textContent = words;
  return element;
}

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component;
  words = data.words;
  if (!tables.has(parentElement)) tables.set(parentElement, new Runs(parentElement));
  const table = tables.get(parentElement);
  table.open = (id) => setTriggerValue("opened", id);
  table.select = (ids) => setStateValue("selected", ids);
  table.update(data);
}
