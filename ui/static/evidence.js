// The evidence view of one sample: click a sentence, see what carries it, set its label.
//
// What comes from files, models and people goes in by textContent or as an attribute, never as
// HTML. A click is answered here at once; Python stores the label, and counts.

// What a sentence can be called, as everywhere (evaluators/report/coloured.py): the look and sign of
// each verdict, those on support by their names, those on use by relevant + 2 * used.
let verdicts = {};
let supports = {};
let uses = [];

const STEPS = { ArrowLeft: "previous_sample", ArrowRight: "next_sample" };
const HELP = mark("← → sample · ↑ ↓ sentence · 1 2 3 label · A all right · U undo · R reveal · Esc close");
const BLIND_HELP = mark("↑ ↓ sentence · 1 2 3 label · A all supported · Esc close");

const FOLD_FROM = 4; // sentences in a row without a label; fewer do not hide much
const MOST_UNFOLDED = 400; // where labels must not show, long documents fold by length alone
const SHOWN_OF_EACH = 40;
const WIDE = 600; // pixels: below, the columns stand one above the other (as in evidence.css)
const FLASH = 5000; // milliseconds
const HIDES = "plumbline-hide-labels";
// A widget that takes arrows and digits itself.
const OWN_KEYS =
  "input:not([type=checkbox]), textarea, select, button, a, summary, canvas, [contenteditable=true]," +
  "[role=radio], [role=tab], [role=option], [role=combobox], [role=slider], [role=grid]";

// The texts stand there for browsers in which this script does not run; they may come after it.
const sheet = new CSSStyleSheet();
sheet.replaceSync(".st-key-texts_without_script { display: none; }");
document.adoptedStyleSheets.push(sheet);

export default function ({ data, parentElement, setTriggerValue }) {
  ({ words, verdicts, supports, uses } = data.language);
  const view = drawnIn(parentElement, View);
  view.send = (changes) => setTriggerValue("changed", changes);
  view.update(data);
  return ends(parentElement);
}

/** A text in the reader's language with an element in each of its blanks. */
function said(text, elements) {
  const pieces = say(text).split(/\{(\w+)\}/);
  return pieces.map((piece, place) => (place % 2 ? elements[piece] : piece && el("span", { text: piece })));
}

const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

class View {
  constructor(parent) {
    this.parent = parent;
    this.root = parent.querySelector(".evidence");
    this.selected = null;
    this.carried = null; // the answer sentence whose carrying sentence is asked for
    this.pending = [];
    this.guesses = {};
    this.changed = new Map(); // the numbers that flash
    this.isRevealed = false;
    this.hides = sessionStorage.getItem(HIDES) === "yes";
    this.onKey = (event) => this.key(event);
    // Before Streamlit, for which R means to run the page again.
    window.addEventListener("keydown", this.onKey, true);
    this.resizes = new ResizeObserver(() => this.measure());
    this.resizes.observe(this.root);
  }

  close() {
    window.removeEventListener("keydown", this.onKey, true);
    this.resizes.disconnect();
  }

  // ---- data

  update(data) {
    const before = this.data;
    const texts = JSON.stringify([data.sample, data.answer, data.documents, data.language]);
    const isNew = texts !== this.texts;
    this.data = data;
    this.texts = texts;
    this.verdicts = { ...data.verdicts };
    this.restsOn = { ...data.restsOn };
    this.own = { ...data.own };
    this.disputed = new Set(data.disputed);
    this.isDone = Boolean(data.done);
    // Of an example, which keeps no labels, a guess is known here alone.
    if (isNew || !data.isShared) this.guesses = structuredClone(data.guesses);
    if (isNew) {
      this.selected = this.carried = null;
      this.pending = [];
      this.isRevealed = false;
    }
    this.pending = this.pending.filter((change) => change.number > data.answered);
    this.pending.forEach((change) => this.apply(change));
    if (isNew || before.by !== data.by || before.isBlind !== data.isBlind) this.build();
    else this.paint();
    this.drawStrip(isNew ? null : before);
    if (isNew && data.isBlind) this.toUnlabelled();
  }

  /** Sends a person's change, and shows it at once; what is said unseen is marked as such. */
  change(label, key = "", value = "") {
    const last = this.pending.at(-1)?.number ?? this.data.answered;
    const change = { sample: this.data.sample, number: last + 1, label, key, value, blind: this.isHidden };
    this.apply(change);
    this.paint();
    if (this.data.isShared) return;
    this.pending.push(change);
    if (this.selected !== null) this.intoView(this.bubble);
    this.send([...this.pending]);
  }

  apply({ label, key, value, blind }) {
    if (label === "sample") this.isDone = true;
    else if (blind && key) this.guesses[key] = { ...this.guesses[key], [label]: value };
    else this.applySeen(label, key, value);
  }

  /** What a person says stands beside the labeller's word; where people correct it, in its place. */
  applySeen(label, key, value) {
    const own = { label, value, what: value, at: new Date().toISOString() };
    const isNone = label === "support" && value === "none";
    if (label === "support") own.what = say(supports[value]);
    else if (label === "supported_by") own.what = say("by {keys}", { keys: value });
    else if (label === "relevant") own.what = value === "yes" ? say("relevant") : say("not relevant");
    else if (label === "utilized") own.what = value === "yes" ? say("used") : say("not used");
    else return;
    const replaced = isNone ? [label, "supported_by"] : [label];
    const earlier = (this.own[key] ?? []).filter((each) => !replaced.includes(each.label));
    // "supported by 0a": what carries a sentence comes last.
    const all = [...earlier, own];
    this.own[key] = [...all.filter((each) => each.label !== "supported_by"), ...all.filter((each) => each.label === "supported_by")];
    if (!this.data.isCorrected) return;
    if (label === "support") this.verdicts[key] = supports[value];
    if (isNone) this.restsOn[key] = [];
    if (label === "supported_by") this.restsOn[key] = [value];
    if (label === "relevant" || label === "utilized") {
      const use = { relevant: this.isRelevant(key), utilized: this.isUsed(key), [label]: value === "yes" };
      this.verdicts[key] = uses[Number(use.relevant) + 2 * Number(use.utilized)];
    }
  }

  /** What a person said of a sentence with the labels in sight, by the kind of label. */
  ownValue = (key, label) => this.own[key]?.find((each) => each.label === label)?.value;

  get isHidden() {
    return this.data.isBlind || (this.hides && !this.isRevealed);
  }

  /** Whether every answer sentence has a label that was given unseen. */
  get isGuessed() {
    return this.data.answer.every(([key]) => this.guesses[key]?.support);
  }

  guess = (key) => supports[this.guesses[key]?.support] ?? "";

  isRelevant = (key) => this.verdicts[key].startsWith("relevant");
  isUsed = (key) => this.verdicts[key].endsWith("used");
  isOfAnswer = (key) => this.data.answer.some(([own]) => own === key);

  /** What carries an answer sentence, or which of them rest on a document sentence. */
  related(key) {
    if (this.isHidden) return [];
    if (this.isOfAnswer(key)) return this.carriers(key);
    return this.data.answer.map(([own]) => own).filter((own) => this.carriers(own).includes(key));
  }

  /** What an answer sentence rests on by its labeller, and by whoever looks at the page. */
  carriers(key) {
    const own = this.ownValue(key, "supported_by");
    return [...new Set([...(this.restsOn[key] ?? []), ...(own ? [own] : [])])];
  }

  // ---- the page

  build() {
    this.rows = new Map();
    this.folds = new Map();
    const data = this.data;
    this.bubble = el("div", { class: "bubble", id: "bubble" });
    this.strip = el("div", { class: "strip" });
    this.live = el("div", { class: "live", "aria-live": "polite" });
    this.answer = el("section", { class: "answer" }, el("h2", { text: say("Answer") }));
    for (const sentence of data.answer) this.answer.append(this.row(sentence));
    if (!data.answer.length) this.answer.append(el("p", { class: "empty", text: say("The answer is empty.") }));
    if (data.trueAnswer) {
      const text = el("bdi", { text: data.trueAnswer });
      this.answer.append(el("p", { class: "true-answer" }, ...said("True answer: {answer}", { answer: text })));
    }
    this.history = el("div", { class: "history" });
    this.answer.append(this.history);
    this.documents = el("section", { class: "documents" }, el("h2", { text: say("Documents") }));
    const total = data.documents.reduce((sum, { sentences }) => sum + sentences.length, 0);
    for (const each of data.documents) this.documents.append(this.document(each, total));
    if (!total) this.documents.append(el("p", { class: "empty", text: say("No documents.") }));
    this.columns = el("div", { class: "columns" }, this.answer, this.documents);
    this.root.replaceChildren(
      el("h2", { class: "live", text: say("Question") }),
      el("p", { class: "question", dir: "auto", text: data.question }),
      (this.situation = el("p", { class: "situation", dir: "auto" })),
      this.strip,
      this.legend(),
      this.columns,
      el("p", { class: "help", text: say(data.isBlind ? BLIND_HELP : HELP) }),
      this.live,
    );
    this.root.onclick = (event) => this.clicked(event);
    this.paint();
    this.measure();
  }

  legend() {
    const line = el("div", { class: this.data.isBlind ? "legend blind" : "legend" });
    const side = (title, names, about = "") => {
      const entries = names.map((name) => el("span", { class: `entry v-${verdicts[name].look}`, text: say(name) }));
      line.append(el("span", { class: "side" }, el("b", { text: title }), ...entries, about));
    };
    side(say("Answer"), Object.values(supports), this.claims());
    side(say("Documents"), uses.filter(Boolean));
    this.differ = el("span", { text: `≠ ${say("labellers differ")}` });
    this.notes = el("span", { class: "notes" });
    line.append(this.differ, this.notes);
    return line;
  }

  /** What counts as supported though no document says it: as a hint, and behind a "?". */
  claims() {
    const { term, rule } = this.data.claims ?? {};
    return term && el("a", { class: "term", href: term[0], target: "_blank", title: rule, "aria-label": term[1], text: "?" });
  }

  document({ title, sentences }, total) {
    const name = el("h3", {}, el("bdi", { text: title }));
    const section = el("div", { class: "document" }, name);
    let stretch = [];
    const end = () => {
      if (stretch.length < FOLD_FROM) section.append(...stretch.map((each) => this.row(each)));
      else section.append(this.fold(stretch));
      stretch = [];
    };
    sentences.forEach((sentence, place) => {
      if (this.isQuiet(sentence[0], place, total)) stretch.push(sentence);
      else {
        end();
        section.append(this.row(sentence));
      }
    });
    end();
    return section;
  }

  /** Whether a document sentence may fold. What is hidden must not show by what folds. */
  isQuiet(key, place, total) {
    if (this.isHidden) return total > MOST_UNFOLDED && place >= SHOWN_OF_EACH;
    return !this.verdicts[key] && !this.disputed.has(key) && !this.related(key).length;
  }

  /** A stretch of sentences as one button; its rows are made when somebody opens it. */
  fold(sentences) {
    const number = sentences.length.toLocaleString("en");
    const text = say("… {number} sentences …", { number });
    const button = el("button", { class: "fold", type: "button", text });
    const open = () => {
      button.replaceWith(...sentences.map((each) => this.row(each)));
      for (const [key] of sentences) {
        this.folds.delete(key);
        this.paintRow(key);
      }
    };
    button.onclick = open;
    for (const [key] of sentences) this.folds.set(key, open);
    return button;
  }

  row([key, text]) {
    const row = el(
      "div",
      { class: "sentence", role: "button", tabindex: -1, dir: "auto", "data-key": key },
      el("bdi", { class: "key", "aria-hidden": true, text: key }),
      el("span", { class: "text", text }),
      el("bdi", { class: "badge", "aria-hidden": true }),
    );
    this.rows.set(key, row);
    return row;
  }

  paint() {
    for (const key of this.rows.keys()) this.paintRow(key);
    for (const column of [this.answer, this.documents]) {
      const first = column.querySelector(".sentence");
      if (first && !column.querySelector("[tabindex='0']")) first.tabIndex = 0;
    }
    const { notes, situation } = this.data;
    this.notes.textContent = this.isHidden ? "" : notes.join(" · ");
    this.situation.textContent = this.isHidden || !situation ? "" : say("Situation: {situation}", { situation });
    this.differ.hidden = this.isHidden || !this.disputed.size;
    this.light();
    this.drawBubble();
  }

  paintRow(key) {
    const row = this.rows.get(key);
    const [, text, badge] = row.children;
    const verdict = this.isHidden ? "" : this.verdicts[key];
    const guess = this.isHidden ? this.unseen(key) : this.guess(key);
    const look = verdicts[this.data.isBlind ? guess : verdict]?.look ?? "quiet";
    row.className = `sentence v-${look}`;
    const marks = [];
    if (verdict) marks.push(`${verdicts[verdict].sign} ${say(verdict)}`.trim());
    const label = guess && say(guess);
    const own = this.data.isBlind ? say("you: {label}", { label }) : say("your guess: {label}", { label });
    if (guess) marks.push(this.isHidden ? own : say("you: {label}", { label }));
    const seen = !this.isHidden && this.own[key]?.length && say("you: {label}", { label: this.ownWords(key) });
    if (seen) marks.push(seen);
    if (!this.isHidden && this.disputed.has(key)) marks.push("≠");
    const flaws = this.isHidden ? [] : (this.data.flaws[key] ?? []);
    marks.push(...flaws.map((words) => `⚑ ${words}`));
    badge.textContent = marks.join(" · ");
    const heard = [key, verdict && say(verdict), guess && own, seen, ...flaws].filter(Boolean).join(say(", "));
    const sentence = say("{name}: {text}", { name: heard, text: text.textContent });
    row.setAttribute("aria-label", sentence);
    row.setAttribute("aria-pressed", String(key === this.selected));
    row.classList.toggle("selected", key === this.selected);
  }

  drawStrip(before) {
    if (!before) this.changed.clear();
    const items = this.data.numbers.map((number, place) => {
      const old = before?.numbers[place] ?? number;
      const isChanged = old.figure !== number.figure || old.people !== number.people;
      if (isChanged) this.changed.set(number.label, { old: old.figure, until: Date.now() + FLASH });
      return this.number(number, this.changed.get(number.label));
    });
    const hide = el("input", { type: "checkbox", role: "switch" });
    hide.checked = this.hides;
    hide.onchange = () => this.hide(hide.checked);
    const tools = el("span", { class: "tools" });
    if (this.isHidden) tools.append(this.button(say("Reveal"), "R", () => this.reveal()));
    else if (this.agreement()) tools.append(el("b", { class: "count", text: this.agreement() }));
    tools.append(el("label", { class: "hide" }, hide, el("span", { text: say("Hide the labels") })));
    this.strip.replaceChildren(...(this.data.isBlind ? [] : [...items, tools]));
    this.strip.hidden = this.data.isBlind;
    this.drawHistory();
  }

  drawHistory() {
    const { corrections, canUndo } = this.data;
    const held = this.parent.activeElement?.dataset.name;
    const parts = [];
    // Until the app has counted what was labelled otherwise.
    if (this.isDone && !this.data.isBlind) parts.push(el("b", { class: "done", text: `✓ ${this.data.done || say("done")}` }));
    else if (this.canConfirm) {
      const text = this.isHidden ? say("Done") : say("All right as it is");
      const confirm = this.button(text, "A", () => this.confirm());
      confirm.dataset.name = "confirm";
      parts.push(confirm);
    }
    if (corrections && !this.isHidden) parts.push(el("span", { text: corrections }));
    const left = this.unlabelled.length;
    if (this.data.isBlind && left) {
      const isWhole = left === this.data.answer.length;
      const text = isWhole ? say("All supported") : say("All others supported");
      parts.push(this.button(text, "A", () => this.supportOthers()));
    }
    if (canUndo && !this.data.isBlind) {
      const undo = this.button(say("Undo"), "U", () => this.change("undo"));
      undo.dataset.name = "undo";
      parts.push(undo);
      if (!this.isHidden) parts.push(this.button(say("Undo all"), "", () => this.change("undo all")));
    }
    const { people } = this.data;
    if (people.length && !this.isHidden) parts.push(el("bdi", { class: "people", text: people.join(" · ") }));
    this.history.replaceChildren(...parts);
    // The button that was pressed is a new one now.
    if (held) this.history.querySelector(`[data-name="${held}"]`)?.focus();
  }

  /** A queue has a button of its own; unseen, all of the answer is labelled first. */
  get canConfirm() {
    if (this.isDone || this.data.isBlind || this.data.isShared) return false;
    return this.isHidden ? this.isGuessed : !this.data.locked;
  }

  /** Confirms all labels that the person did not set; unseen, ends the guessing. */
  confirm() {
    const wasHidden = this.isHidden;
    this.change("sample", "", "done");
    if (wasHidden) this.reveal();
    else this.drawHistory();
  }

  /** One number; what a change did to it stands there for a while, whatever else is drawn. */
  number({ label, figure, people, mark, value, rule, beside, how, term }, change) {
    const left = change ? change.until - Date.now() : 0;
    const isChanged = left > 0 && !this.isHidden;
    const shown = isChanged && change.old !== figure ? `${change.old} → ${figure}` : figure;
    const count = el("b", { text: this.isHidden ? "?" : shown });
    const item = el(
      "span",
      { class: isChanged ? "number changed" : "number", title: this.isHidden ? undefined : how },
      el(
        "span",
        { class: "figure" },
        el("span", { text: `${label} ` }),
        count,
        !this.isHidden && mark && el("span", { class: "mark", text: ` ${mark}` }),
      ),
      el(
        "small",
        {},
        !this.isHidden && el("span", { text: value }),
        !this.isHidden && rule && el("span", { text: ` · ${rule}` }),
        !this.isHidden && beside && el("span", { class: "beside", text: ` · ${beside}` }),
      ),
      !this.isHidden && people && el("small", { class: "people-say", text: people }),
    );
    // In another tab, as this page would forget what was chosen.
    const about = { class: "term", href: term[0], target: "_blank", "aria-label": term[1], text: "?" };
    // Of a hidden figure another "?" stands there.
    if (!this.isHidden) item.querySelector(".figure").append(" ", el("a", about));
    if (isChanged) {
      this.live.textContent = [`${label}: ${shown}`, people].filter(Boolean).join(say(", "));
      setTimeout(() => {
        item.classList.remove("changed");
        count.textContent = figure;
      }, left);
    }
    return item;
  }

  button(text, key, click) {
    const hint = key && el("kbd", { "aria-hidden": true, text: key });
    return el("button", { type: "button", click }, el("span", { text }), hint);
  }

  /** Where the strip and the answer may stick: under the head of the page. */
  measure() {
    const head = document.querySelector("[data-testid=stHeader]");
    const isOver = head && getComputedStyle(head).backgroundColor !== "rgba(0, 0, 0, 0)";
    this.top = isOver ? Math.max(0, head.getBoundingClientRect().bottom) : 0;
    this.root.style.setProperty("--top", `${this.top}px`);
    this.root.style.setProperty("--strip", `${this.strip?.offsetHeight ?? 0}px`);
  }

  // ---- the chosen sentence

  clicked(event) {
    const key = event.target.closest("[data-key]")?.dataset.key;
    // Somebody who marks text to copy it does not choose a sentence.
    if (key === undefined || String(window.getSelection())) return;
    if (this.carried && !this.isOfAnswer(key)) this.carry(key);
    else this.select(key === this.selected ? null : key);
  }

  select(key, { focus = false } = {}) {
    const old = this.selected;
    this.carried = null;
    this.selected = key;
    if (old !== null) this.paintRow(old);
    if (key !== null) {
      this.folds.get(key)?.();
      this.paintRow(key);
      this.rowHoldsFocus(key);
      if (focus) this.rows.get(key).focus({ preventScroll: true });
    }
    this.light();
    this.drawBubble();
    this.show();
  }

  /** One row of each column can be reached by Tab; the arrows lead to the others. */
  rowHoldsFocus(key) {
    const row = this.rows.get(key);
    const column = row.closest("section");
    column.querySelectorAll("[tabindex='0']").forEach((each) => (each.tabIndex = -1));
    row.tabIndex = 0;
  }

  light() {
    this.root.querySelectorAll(".lit").forEach((row) => row.classList.remove("lit"));
    if (this.selected === null) return;
    for (const key of this.related(this.selected)) {
      this.folds.get(key)?.();
      this.rows.get(key)?.classList.add("lit");
    }
  }

  /** Brings the chosen sentence with its bubble, and what it rests on, into sight. */
  show() {
    if (this.selected === null) return;
    this.intoView(this.bubble);
    this.intoView(this.rows.get(this.selected));
    const first = this.columns.querySelector(".lit");
    if (first && this.root.clientWidth >= WIDE) this.intoView(first);
  }

  intoView(element) {
    const { top, bottom } = element.getBoundingClientRect();
    const highest = Math.max(this.top, this.strip.getBoundingClientRect().bottom);
    if (top >= highest && bottom <= window.innerHeight) return;
    element.scrollIntoView({ block: "nearest" });
  }

  drawBubble() {
    const key = this.selected;
    if (key === null) {
      this.bubble.remove();
      return;
    }
    const held = this.parent.activeElement?.dataset.name;
    const body = this.isHidden ? this.aboutHidden(key) : this.about(key);
    this.bubble.replaceChildren(...body.filter(Boolean));
    const row = this.rows.get(key);
    if (row.nextSibling !== this.bubble) row.after(this.bubble);
    this.documents.classList.toggle("asked", this.carried !== null);
    if (held) this.bubble.querySelector(`[data-name="${held}"]`)?.focus();
  }

  about(key) {
    const you = this.own[key] ?? [];
    const heard = this.data.said.filter(({ isPerson, of }) => !isPerson || key in of);
    const all = heard.map(({ who, counts, isPerson, of }) => ({
      who, counts, isPerson, words: of[key] ?? this.silence(key),
    }));
    const isByPeople = this.data.isCorrected && all.some(({ isPerson }) => isPerson);
    // Where nobody corrected a sentence, the corrected labels are those that count without them.
    const counted = all.find(({ who }) => who === this.data.by) ?? all.find(({ counts }) => counts);
    const own = you.length || isByPeople ? null : counted;
    const label = this.verdicts[key] ? say(this.verdicts[key]) : this.silence(key);
    const byPeople = isByPeople && say("By people: {label}.", { label });
    const why = own ? capitalised(own.words) : you.length ? this.word(key) : byPeople;
    const lines = all.filter((each) => each !== own).map(({ who, words }) => {
      const elements = { who: el("b", {}, el("bdi", { text: who })), label: el("bdi", { text: words }) };
      return el("li", {}, ...said("{who} said: {label}", elements));
    });
    return [
      el("p", { class: "why", dir: "auto", text: why }),
      this.labels(key),
      this.carriedLine(key),
      !this.isOfAnswer(key) && this.restingLine(key),
      lines.length > 0 && el("ul", {}, ...lines),
      this.quotes(key),
      this.guess(key) && el("p", { text: say("Your guess: {label}.", { label: say(this.guess(key)) }) }),
    ];
  }

  aboutHidden(key) {
    const asked = this.isOfAnswer(key) ? say("Do the documents support it?") : say("Is it relevant, and used?");
    return [
      el("p", { class: "why", text: this.data.isBlind ? asked : say("What is your guess?") }),
      this.labels(key),
      !this.data.isBlind && this.button(say("Reveal"), "R", () => this.reveal()),
    ];
  }

  silence = (key) => (this.isOfAnswer(key) ? say("no label") : say("neither relevant nor used"));

  /** "supported by 0a". */
  ownWords = (key) => this.own[key].map((each) => each.what).join(say(", ")).replace(", by ", " by ");

  /** "You, 14:02: supported by 0a". */
  word(key) {
    const own = this.own[key];
    const time = new Date(own.at(-1).at);
    const clock = time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
    return say("You, {time}: {what}.", { time: clock, what: this.ownWords(key) });
  }

  labels(key) {
    const group = el("div", { class: "labels", role: "group", "aria-label": say("Set the label") });
    const isLocked = Boolean(this.data.locked) && !this.isHidden;
    for (const [number, { name, isOn, set }] of this.choices(key).entries()) {
      const button = this.button(say(name), String(number + 1), set);
      button.dataset.name = name;
      button.setAttribute("aria-pressed", String(isOn));
      button.disabled = isLocked;
      group.append(button);
    }
    if (isLocked) group.append(el("span", { text: this.data.locked }));
    return group;
  }

  /** The labels that a sentence can be given, in the order of their keys 1, 2, 3. */
  choices(key) {
    if (!this.isOfAnswer(key)) {
      const toggle = (name, label, isOn) => ({
        name,
        isOn,
        set: () => this.change(label, key, isOn ? "no" : "yes"),
      });
      return [
        toggle("relevant", "relevant", this.isOn(key, "relevant")),
        toggle("used", "utilized", this.isOn(key, "utilized")),
      ];
    }
    const now = this.isHidden ? this.guess(key) : this.supportOf(key);
    return Object.entries(supports).map(([value, name]) => ({
      name,
      isOn: now === name,
      set: () => this.support(key, value),
    }));
  }

  isOn(key, label) {
    if (this.isHidden) return this.guesses[key]?.[label] === "yes";
    const own = this.ownValue(key, label);
    if (own) return own === "yes";
    return label === "relevant" ? this.isRelevant(key) : this.isUsed(key);
  }

  /** The support that a person gave an answer sentence, else its labeller's. */
  supportOf = (key) => supports[this.ownValue(key, "support")] ?? this.verdicts[key];

  /** What a person said of a sentence without having seen a label, in the words of a verdict. */
  unseen(key) {
    if (this.isOfAnswer(key)) return this.guess(key);
    return uses[Number(this.isOn(key, "relevant")) + 2 * Number(this.isOn(key, "utilized"))];
  }

  support(key, value) {
    if (this.isHidden) {
      if (this.guesses[key]?.support !== value) this.change("support", key, value);
      this.drawHistory();
      if (this.data.isBlind) this.toUnlabelled(key);
      return;
    }
    this.carried = value === "full" && !this.carriers(key).length ? key : null;
    if (this.supportOf(key) !== supports[value]) this.change("support", key, value);
    else this.drawBubble();
  }

  get unlabelled() {
    return this.data.answer.map(([key]) => key).filter((key) => !this.guesses[key]?.support);
  }

  /** Of a queue, which is gone through: the next answer sentence without a label. */
  toUnlabelled(after = null) {
    const keys = this.data.answer.map(([key]) => key);
    const left = this.unlabelled;
    const next = left.find((key) => keys.indexOf(key) > keys.indexOf(after)) ?? left[0];
    this.select(next ?? null);
  }

  supportOthers() {
    this.unlabelled.forEach((key) => this.change("support", key, "full"));
    this.drawHistory();
    this.toUnlabelled();
  }

  carriedLine(key) {
    if (this.carried !== key) return null;
    const skip = () => {
      this.carried = null;
      this.drawBubble();
    };
    return el(
      "p",
      { class: "ask" },
      el("span", { text: `${say("By which sentence? Click it in the documents.")} ` }),
      this.button(say("Skip"), "Esc", skip),
    );
  }

  carry(key) {
    const carried = this.carried;
    this.carried = null;
    this.change("supported_by", carried, key);
    this.rows.get(carried).focus({ preventScroll: true });
    this.show();
  }

  restingLine(key) {
    const resting = this.related(key);
    if (!resting.length) return el("p", { text: say("No answer sentence rests on it.") });
    return el("p", { text: say("Carries {keys} of the answer.", { keys: resting.join(say(", ")) }) });
  }

  /** The evidence once more, for a screen with one column; by its style sheet only there. */
  quotes(key) {
    const keys = this.related(key).filter((each) => this.rows.has(each));
    const quotes = keys.map((each) => {
      const text = this.rows.get(each).children[1].textContent;
      return el("button", { type: "button", class: "quote", dir: "auto", text, click: () => this.select(each) });
    });
    return quotes.length > 0 && el("div", { class: "quotes" }, ...quotes);
  }

  // ---- guess before reveal

  hide(isOn) {
    this.hides = isOn;
    this.isRevealed = false;
    sessionStorage.setItem(HIDES, isOn ? "yes" : "no");
    this.redraw();
  }

  reveal() {
    this.isRevealed = true;
    this.redraw();
  }

  redraw() {
    this.carried = null;
    this.build();
    this.drawStrip(null);
    if (this.selected !== null) this.select(this.selected, { focus: true });
  }

  /** How many guesses are as the labels, in words; empty where there is no guess. */
  agreement() {
    const guessed = this.data.answer.map(([key]) => key).filter((key) => this.guess(key));
    const alike = guessed.filter((key) => this.verdicts[key] === this.guess(key)).length;
    if (!guessed.length) return "";
    return say("You: {part} of {all} like {by}", { part: alike, all: guessed.length, by: this.data.by });
  }

  // ---- keys

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("[role=dialog]")) return;
    const target = event.composedPath()[0];
    const isOurs = this.parent.contains(target);
    const isStep = target.closest?.(".st-key-previous_sample, .st-key-next_sample");
    if (!isOurs && !isStep && target.closest?.(OWN_KEYS)) return;
    if (!this.press(event.key, target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Whether the key means something here; does it. */
  press(key, target) {
    const step = document.querySelector(`.st-key-${STEPS[key]} button`);
    // Below an answer of a queue stands a bar, which is left with the answer.
    const isLeft = this.data.isBlind && document.querySelector(".st-key-label_bar[data-leaving]");
    if (step) step.click();
    else if (isLeft && /^[123a]$/i.test(key)) return true;
    else if (this.data.isBlind && /^(Enter|u)$/i.test(key)) return false;
    else if (key === "ArrowDown" || key === "ArrowUp") this.move(key === "ArrowDown" ? 1 : -1);
    else if (key === "Escape" && this.selected !== null) this.escape();
    else if ((key === "Enter" || key === " ") && target.dataset?.key !== undefined) target.click();
    else if (key === "u" || key === "U") this.data.canUndo && this.change("undo");
    else if (key === "r" || key === "R") this.isHidden && !this.data.isBlind && this.reveal();
    else if ((key === "a" || key === "A") && this.data.isBlind) this.supportOthers();
    else if (key === "a" || key === "A") this.canConfirm && this.confirm();
    else if ("123".includes(key) && this.selected !== null && (this.isHidden || !this.data.locked)) {
      this.choices(this.selected)[Number(key) - 1]?.set();
    } else return false;
    return true;
  }

  escape() {
    if (this.carried === null) this.select(null);
    else {
      this.carried = null;
      this.drawBubble();
    }
  }

  /** To the next sentence of the same column; while a carrying sentence is asked for, in the documents. */
  move(by) {
    const inDocuments = this.carried !== null || (this.selected !== null && !this.isOfAnswer(this.selected));
    const rows = [...(inDocuments ? this.documents : this.answer).querySelectorAll(".sentence")];
    const now = this.carried === null ? this.rows.get(this.selected) : this.parent.activeElement;
    const place = rows.indexOf(now);
    const next = rows[place < 0 ? (by > 0 ? 0 : rows.length - 1) : place + by];
    if (!next) return;
    if (this.carried === null) this.select(next.dataset.key, { focus: true });
    else {
      next.focus({ preventScroll: true });
      this.intoView(next);
    }
  }
}
