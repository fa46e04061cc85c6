// The bar below an answer that is being labelled: what is asked, and where to go from here.
//
// Keys mean the same as its buttons, wherever the focus is. What comes from files and models goes in
// by textContent. Python stores what was said, and decides which answer comes next.

const ACTIONS = [
  { name: "back", word: mark("Previous answer"), sign: "←", key: "ArrowLeft", hint: "" },
  { name: "undo", word: mark("Undo"), key: "u", hint: "U" },
  { name: "cannot tell", word: mark("Cannot tell"), key: "c", hint: "C" },
  { name: "skipped", word: mark("Skip"), key: "s", hint: "S" },
  { name: "done", word: mark("Next"), key: "n", hint: "N" },
  { name: "forward", word: mark("Following answer"), sign: "→", key: "ArrowRight", hint: "" },
];
const VALUES = [
  { value: "yes", word: mark("Yes") },
  { value: "no", word: mark("No") },
];
// A field that takes letters itself.
const WRITES = "input:not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox]";
// Enter on one of these means to press it.
const PRESSED_BY_ENTER = "button, a, summary, [role=tab], [role=radio]";
const RETRY = 4000; // milliseconds without an answer after which an action is sent again

export default function ({ data, parentElement, setTriggerValue }) {
  words = data.words;
  const bar = drawnIn(parentElement, Bar);
  bar.send = (changes) => setTriggerValue("changed", changes);
  bar.update(data);
  return ends(parentElement);
}

class Bar {
  constructor(parent) {
    this.root = parent.querySelector(".label");
    this.pending = [];
    this.onKey = (event) => this.key(event);
    // Before Streamlit, for which C means to clear what it remembers.
    window.addEventListener("keydown", this.onKey, true);
  }

  close() {
    window.removeEventListener("keydown", this.onKey, true);
    clearTimeout(this.retry);
  }

  update(data) {
    const isNew = this.data?.sample !== data.sample;
    this.data = data;
    if (isNew) this.pending = [];
    this.pending = this.pending.filter((change) => change.number > data.answered);
    this.leave(this.pending.some(({ action }) => action !== "verdict"));
    this.values = Object.fromEntries(data.questions.map(({ name, value }) => [name, value]));
    this.pending.forEach(({ key, value }) => key && (this.values[key] = value));
    this.draw();
    const next = this.isLeaving ? null : this.next;
    if (!this.isLeaving) this.next = null;
    if (next && !isNew) this.act(next);
    // Another answer begins at its top.
    if (isNew) document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
  }

  draw() {
    const { progress, share, note, questions } = this.data;
    const current = this.current();
    const line = el("progress", { max: 1, value: share, "aria-label": progress });
    const head = el("div", { class: "head" }, el("b", { text: progress }), line);
    const rows = questions.map((question) => this.question(question, question.name === current));
    const buttons = ACTIONS.map((action) => this.button(action));
    const message = el("p", { class: "note", role: "status", text: note });
    const held = this.root.getRootNode().activeElement?.dataset.name;
    this.root.replaceChildren(head, ...rows, message, el("div", { class: "actions" }, ...buttons));
    // The button that was pressed is a new one now.
    if (held) this.root.querySelector(`[data-name="${held}"]`)?.focus({ preventScroll: true });
  }

  question({ name, text }, isCurrent) {
    const group = el("div", { class: isCurrent ? "question current" : "question", role: "group", "aria-label": text });
    group.append(el("span", { class: "text", dir: "auto", text }));
    VALUES.forEach(({ value, word }, place) => {
      const button = el(
        "button",
        { type: "button", "data-name": `${name} ${value}`, click: () => this.say(name, value) },
        el("span", { text: say(word) }),
        isCurrent && el("kbd", { "aria-hidden": true, text: String(place + 1) }),
      );
      button.setAttribute("aria-pressed", String(this.values[name] === value));
      group.append(button);
    });
    return group;
  }

  button({ name, word, sign, hint }) {
    const button = el(
      "button",
      { type: "button", class: name.replace(" ", "-"), "data-name": name, "aria-label": sign && say(word) },
      el("span", { text: sign ?? say(word) }),
      hint && el("kbd", { "aria-hidden": true, text: hint }),
    );
    button.onclick = () => this.act(name);
    button.disabled = this.data.off.includes(name);
    return button;
  }

  /** The question that the keys 1 and 2 answer: the first without an answer, else the last. */
  current() {
    const { questions } = this.data;
    return (questions.find(({ name }) => !this.values[name]) ?? questions.at(-1))?.name;
  }

  say(key, value) {
    if (this.isLeaving) return;
    this.change({ action: "verdict", key, value });
  }

  act(action) {
    // What comes before the last step was answered is done if that led to no other answer.
    if (this.isLeaving) this.next = action;
    if (this.isLeaving || this.data.off.includes(action)) return;
    this.change({ action, key: "", value: "" });
  }

  change(change) {
    const last = this.pending.at(-1)?.number ?? this.data.answered;
    this.pending.push({ sample: this.data.sample, number: last + 1, ...change });
    this.leave(change.action !== "verdict");
    if (change.key) this.values[change.key] = change.value;
    this.draw();
    this.sendPending();
  }

  sendPending() {
    clearTimeout(this.retry);
    if (!this.pending.length) return;
    this.send([...this.pending]);
    this.retry = setTimeout(() => this.sendPending(), RETRY);
  }

  /** A step to another answer was asked for: what is said until it comes is said of none. */
  leave(isLeaving) {
    this.isLeaving = isLeaving;
    const host = this.root.getRootNode().host ?? this.root;
    host.closest(".st-key-label_bar")?.toggleAttribute("data-leaving", isLeaving);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("[role=dialog]")) return;
    const target = event.composedPath()[0];
    if (target.closest?.(WRITES)) return;
    if (!this.press(event.key, target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Whether the key means something here; does it. */
  press(key, target) {
    const action = ACTIONS.find((each) => each.key === (key.length === 1 ? key.toLowerCase() : key));
    if (action) this.act(action.name);
    else if (key === "Enter" && !target.closest?.(PRESSED_BY_ENTER)) this.act("done");
    else if ((key === "1" || key === "2") && this.current()) {
      this.say(this.current(), VALUES[Number(key) - 1].value);
    } else return false;
    return true;
  }
}
