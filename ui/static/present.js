/* Present: shows one of the page's blocks, which are all drawn, and goes on by keys and by touch.
   Texts go in as text. */

const ON = ["ArrowRight", "ArrowDown", "PageDown", " "];
const BACK = ["ArrowLeft", "ArrowUp", "PageUp"];
const SIDEWAYS = ["ArrowRight", "ArrowLeft"];
// Whoever types there means letters, not commands.
const TYPED_IN = "input, textarea, select, [contenteditable=true], [role=combobox], [role=slider]";
const PRESSED = "button, a, summary, [role=button]"; // which Space presses
const SWIPE = 60; // pixels that a finger moves at least
const PART = 0.85; // of a screen: some lines stay in sight
const SAMPLES = { 1: "next_sample", "-1": "previous_sample" };

export default function ({ data, parentElement, setTriggerValue }) {
  const show = drawnIn(parentElement, Show);
  show.leave = () => setTriggerValue("left", true);
  show.update(data);
  return ends(parentElement);
}

class Show {
  constructor(parent) {
    this.bar = parent.querySelector(".present");
    this.said = make("span", "said");
    this.said.ariaLive = "polite";
    this.count = make("span", "count");
    this.back = this.button("‹", () => this.step(-1));
    this.on = this.button("›", () => this.step(1));
    this.out = this.button("✕", () => this.leave());
    this.bar.append(this.back, this.count, this.on, this.out, this.said);
    // A sheet of its own: a class would be lost where Streamlit draws a block again.
    this.sheet = document.head.appendChild(document.createElement("style"));
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    // After the evidence view, which takes keys for its sentences before they come here.
    window.addEventListener("keydown", (event) => this.key(event), { signal });
    window.addEventListener("touchstart", (event) => (this.finger = event.touches[0]), { signal });
    window.addEventListener("touchend", (event) => this.swiped(event.changedTouches[0]), { signal });
  }

  close() {
    this.listeners.abort();
    this.sheet.remove();
    delete document.documentElement.dataset.presented;
  }

  update(data) {
    const texts = JSON.stringify(data);
    if (texts === this.texts) return;
    this.texts = texts;
    this.data = data;
    const asked = Number(new URLSearchParams(location.search).get("block"));
    this.number = Math.min(Math.max(asked || 1, 1), data.titles.length);
    this.draw();
  }

  draw() {
    const { titles, place, words } = this.data;
    for (const name of ["back", "on"]) this[name].ariaLabel = this[name].title = words[name];
    this.out.ariaLabel = this.out.title = words.leave;
    const other = `[class*="st-key-block_"]:not(.st-key-block_${this.number})`;
    // With all in it: Streamlit's own sheet says of captions that they can be seen.
    this.sheet.textContent = `${other}, ${other} * { visibility: hidden !important; }`;
    document.documentElement.dataset.presented = "";
    this.count.textContent = place || filled(words.count, { place: this.number, all: titles.length });
    const title = titles[this.number - 1];
    this.said.textContent = filled(words.said, { count: this.count.textContent, title });
    this.back.disabled = !this.canStep(-1);
    this.on.disabled = !this.canStep(1);
    this.hold();
  }

  /** Reading begins at the block, unless somebody goes on by a button or is inside of the block. */
  hold() {
    const held = document.activeElement;
    if (held !== document.body && !held.matches('[class*="st-key-block_"]')) return;
    this.block.tabIndex = -1;
    this.block.focus({ preventScroll: true });
  }

  get block() {
    return document.querySelector(`.st-key-block_${this.number}`);
  }

  /** The button to the neighbour of a sample, which follows on its last block. */
  sample(by) {
    return document.querySelector(`.st-key-${SAMPLES[by]} button:enabled`);
  }

  isBlock = (number) => number >= 1 && number <= this.data.titles.length;
  canStep = (by) => this.isBlock(this.number + by) || this.sample(by) !== null;

  step(by) {
    if (!this.isBlock(this.number + by)) {
      this.sample(by)?.click();
      return;
    }
    this.number += by;
    const address = new URL(location.href);
    address.searchParams.set("block", this.number);
    history.replaceState(history.state, "", address);
    this.draw();
    this.block.scrollTop = 0;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0];
    if (target.closest?.(TYPED_IN) || document.querySelector("[role=dialog]")) return;
    if (event.key === " " && target.closest?.(PRESSED)) return;
    const by = ON.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (by) this.goOn(by, event);
    else if (event.key === "Escape" || event.key.toLowerCase() === "p") this.leave();
    else return;
    event.preventDefault();
  }

  /** Through a block that is longer than the screen, then to the next one; sideways at once. */
  goOn(by, { key, shiftKey }) {
    if (key === " " && shiftKey) by = -1;
    const { scrollTop, scrollHeight, clientHeight } = this.block;
    const left = by > 0 ? scrollHeight - clientHeight - scrollTop : scrollTop;
    if (!SIDEWAYS.includes(key) && left > 2) this.block.scrollBy({ top: by * PART * clientHeight });
    else this.step(by);
  }

  swiped(finger) {
    const across = finger.clientX - this.finger.clientX;
    const down = finger.clientY - this.finger.clientY;
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) this.step(across < 0 ? 1 : -1);
  }

  button(sign, click) {
    const button = make("button", "", sign);
    button.type = "button";
    button.onclick = click;
    return button;
  }
}
