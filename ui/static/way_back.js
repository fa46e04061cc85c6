/* The wall's tab keeps which workspace it came from: the address must not, as a class reads it. */

export default function ({ data, setStateValue }) {
  const name = `plumbline-round-${data.round}`;
  try {
    if (data.workspace) sessionStorage.setItem(name, data.workspace);
    const kept = sessionStorage.getItem(name);
    if (kept && !data.workspace) setStateValue("workspace", kept);
  } catch {
    // A browser may forbid it: then there is no way back, as the wall says.
  }
}
