/* What a round has to say, for whoever does not see the screen: said by a live region at each change,
   and the focus stays on the target that was pressed, where Streamlit drew another one in its place. */

const targets = () => [...document.querySelectorAll(".st-key-round_buttons button")];
let pressed = -1;
document.addEventListener("click", (event) => {
  pressed = targets().indexOf(event.target.closest?.("button"));
}, true);

export default function ({ data, parentElement }) {
  const region = parentElement.querySelector("[role=status]");
  if (region.textContent === data.text) return;
  region.textContent = data.text;
  // The targets are drawn after this.
  setTimeout(() => {
    if (document.activeElement === document.body) targets()[pressed]?.focus({ preventScroll: true });
  }, 150);
}
