/* The samples of a run: rows that open by a click or by Enter; narrow, they are cards.
   All text goes in as text. */

class Table {
  constructor(parent) {
    this.root = parent.querySelector(".samples");
    this.arrival = null;
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  update(data) {
    const texts = JSON.stringify(data);
    if (texts === this.texts) return;
    this.texts = texts;
    this.data = data;
    const held = this.root.getRootNode().activeElement?.dataset.name;
    this.root.replaceChildren(this.table());
    // The button with the focus is a new one now.
    const button = [...this.root.querySelectorAll("button")].find(({ dataset }) => dataset.name === held);
    if (held) button?.focus({ preventScroll: true });
    if (data.arrival && data.arrival !== this.arrival) {
      this.arrival = data.arrival;
      this.backTo(this.root.querySelector("tr[aria-current]"));
    }
  }

  /** Streamlit scrolls a new page to its top; some drawings later the row is back in sight. */
  backTo(row) {
    if (!row) return;
    row.querySelector("button").focus({ preventScroll: true });
    for (const wait of [0, 150, 500]) setTimeout(() => row.scrollIntoView({ block: "center" }), wait);
  }

  table() {
    const table = make("table");
    table.lang = this.data.lang; // the heads, for hyphens; texts have no language of their own
    const head = table.createTHead().insertRow();
    for (const column of this.data.columns) head.append(this.heading(column));
    const body = table.createTBody();
    this.data.rows.forEach((row, index) => body.append(this.row(row, index)));
    return table;
  }

  heading(column) {
    const cell = make("th", column.aside ? "value aside" : column.kind);
    cell.scope = "col";
    if (!column.order) {
      cell.append(column.title, ...term(column));
      return cell;
    }
    const button = make("button", "sort", column.title);
    const direction = this.data.order[column.order];
    if (direction) cell.ariaSort = direction;
    button.append(make("span", "arrow", { ascending: " ▲", descending: " ▼" }[direction] ?? ""));
    button.dataset.order = button.dataset.name = column.order;
    cell.append(button, ...term(column));
    return cell;
  }

  row(row, index) {
    const line = make("tr");
    line.dataset.index = index;
    const current = Math.max(this.data.current, 0);
    if (index === this.data.current) line.ariaCurrent = "true";
    this.data.columns.forEach((column, place) => {
      const cell = make("td", column.aside ? "value aside" : column.kind);
      const value = row.cells[place];
      cell.dataset.title = column.title;
      if (column.kind === "number") {
        const button = make("button", "open", value);
        button.ariaLabel = row.name;
        button.dataset.name = row.answer;
        // One stop for the Tab key; the arrows go on from there.
        button.tabIndex = index === current ? 0 : -1;
        cell.append(button);
      } else if (column.kind === "verdict") {
        cell.append(make("span", `mark ${row.mark}`, { good: "✓", bad: "✗", part: "~", failed: "!" }[row.mark] ?? "·"));
        cell.append(make("span", "words", value));
        cell.firstChild.ariaHidden = "true";
        const facets = this.listed(row, ({ kind }) => kind === "facet");
        cell.append(foreign("span", "about", facets.map(([title, value]) => (/^\d/.test(value) ? `${title} ${value}` : value)).join(" · ")));
        if (row.note) cell.append(foreign("span", "note", row.note));
      } else if (column.kind === "value") {
        cell.append(make("span", "words", value));
        const share = Number(value);
        if (value !== "" && share >= 0 && share <= 1) {
          const bar = make("i", "bar");
          bar.style.width = `${100 * share}%`;
          cell.append(bar);
        }
      } else {
        cell.append(foreign("span", "words", value));
        if (column.kind === "text") cell.append(make("span", "about", this.listed(row, ({ aside }) => aside).map((pair) => pair.join(" ")).join(" · ")));
      }
      line.append(cell);
    });
    return line;
  }

  /** Titles and cells that stand in one line where there is no room for their columns. */
  listed(row, wanted) {
    const cells = this.data.columns.map((column, place) => [column, row.cells[place]]);
    return cells.filter(([column, value]) => wanted(column) && value).map(([{ title }, value]) => [title, value]);
  }

  click(event) {
    const sort = event.target.closest("button.sort");
    if (sort) this.send("order", sort.dataset.order);
    // Who marks words to copy them does not open the sample.
    else if (getSelection().isCollapsed || event.target.closest("button")) this.open(event.target.closest("tbody tr"));
  }

  key(event) {
    const row = event.target.closest("tbody tr");
    const next = rowByKey(event, row)?.querySelector("button");
    if (!next) return;
    row.querySelector("button").tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  open(row) {
    if (!row) return;
    this.root.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
    row.ariaCurrent = "true";
    this.send("opened", this.data.rows[row.dataset.index].answer);
  }
}

/** A "?" to the word's place in the glossary, in another tab, as the page forgets what was chosen. */
function term(column) {
  if (!column.term) return [];
  const link = make("a", "term", "?");
  [link.href, link.ariaLabel] = column.term;
  link.target = "_blank";
  return [" ", link];
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = drawnIn(parentElement, Table);
  table.send = setTriggerValue;
  table.update(data);
}
