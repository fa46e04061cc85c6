// Tells the browser which language the page is in, and keeps what was chosen for the next visit.

export default function ({ data }) {
  const isNew = document.documentElement.lang !== data.tag;
  // Hyphenation, screen readers and the shapes of Chinese characters go by it.
  document.documentElement.lang = data.tag;
  if (!data.cookie) return;
  document.cookie = data.cookie;
  // On a phone the menu lies over the page whose language was just chosen in it.
  const isPhone = window.matchMedia("(max-width: 48rem)").matches;
  if (isNew && isPhone) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
}
