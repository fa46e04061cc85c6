/* The runs of a workspace: heads sort, boxes select, a title opens; narrow, they are cards.
   All text goes in as text. */

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
        for (const tag of row.tags) field.append(foreign("span", "tag", tag));
        if (row.note) field.append(foreign("span", "note", row.note));
      } else {
        for (const line of cell.lines) field.append(foreign("span", "line", line));
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
    const kind = event.target.matches("input") ? "input" : "button";
    rowByKey(event, event.target.closest("tbody tr"))?.querySelector(kind).focus();
  }
}

function check(name, isChecked) {
  const box = make("input");
  box.type = "checkbox";
  box.ariaLabel = name;
  box.checked = isChecked;
  return box;
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  words = data.words;
  const table = drawnIn(parentElement, Runs);
  table.open = (id) => setTriggerValue("opened", id);
  table.select = (ids) => setStateValue("selected", ids);
  table.update(data);
}
