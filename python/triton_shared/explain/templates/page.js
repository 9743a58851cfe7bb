// A module: its names are its own.
const panes = [...document.querySelectorAll(".pane")];
// What has the number of a line of the source ("s"), or of an expression in it ("e").
const numbered = { s: new Map(), e: new Map() };
const marked = { hover: [], pin: [], here: [] };
let pinned = null;
const put = (name, kind, element) => {
  for (const old of marked[name]) old.classList.remove(name);
  const numbers = element?.dataset[kind]?.split(" ") ?? [];
  marked[name] = numbers.flatMap(number => numbered[kind].get(number));
  for (const other of marked[name]) other.classList.add(name);
};
const mark = (row, name) => put(name, "s", row);
// Links the rows of a part of the page.
const link = part => {
  for (const kind of ["s", "e"])
    for (const element of part.querySelectorAll(`[data-${kind}]`))
      for (const number of element.dataset[kind].split(" ")) {
        if (!numbered[kind].has(number)) numbered[kind].set(number, []);
        numbered[kind].get(number).push(element);
      }
};
// One line of each pane can be reached by Tab.
const reach = pane =>
  pane.querySelectorAll("[data-s]").forEach((row, number) => { row.tabIndex = number ? -1 : 0; });

// Long parts lie compressed in the page until somebody looks.
const unpack = text => {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
const parts = new Map();
if ("DecompressionStream" in window)
  for (const place of document.querySelectorAll("[data-packed]")) parts.set(place, {});
const read = (place, part) =>
  part.reading ??= unpack(place.querySelector("script").textContent).then(html => { part.html = html; });
const fillIn = (place, part) => {
  if (!parts.delete(place)) return;
  place.innerHTML = part.html;
  link(place);
  const pane = place.closest(".pane");
  if (pane) reach(pane);
  if (pane && pinned) pin(pinned);
};
const open = async place => {
  const part = parts.get(place);
  if (part) { await read(place, part); fillIn(place, part); }
};
// A browser does not wait for what is unpacked when it prints: that has been done before.
addEventListener("load", () => setTimeout(() => parts.forEach((part, place) => read(place, part))));
addEventListener("beforeprint", () => parts.forEach((part, place) => part.html && fillIn(place, part)));
const seen = new IntersectionObserver(found => {
  for (const one of found) if (one.isIntersecting) { seen.unobserve(one.target); open(one.target); }
}, { rootMargin: "50%" });
for (const place of parts.keys()) if (!place.closest(".pane")) seen.observe(place);

// Brings the first row of each other pane that belongs to `row` into sight.
const follow = row => {
  for (const pane of panes) {
    if (pane.hidden || pane.contains(row)) continue;
    const first = pane.querySelector(".pin.here") ?? pane.querySelector(".pin");
    if (!first) continue;
    const above = first.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    pane.scrollTop += above - pane.clientHeight / 3;
  }
};
const pin = row => { mark(row, "pin"); if (row) follow(row); };
const rowOf = event => event.target.closest("[data-s]");
const point = (row, element) => { mark(row, "hover"); put("here", "e", element); };
document.addEventListener("mouseover", event => point(rowOf(event), event.target.closest("[data-e]")));
document.addEventListener("click", event => {
  const row = rowOf(event);
  if (row) pin(row.classList.contains("pin") && row === pinned ? null : row);
  pinned = row && document.querySelector(".pin") ? row : null;
});
link(document);
panes.forEach(reach);

// Which panes are shown.
const switches = [...document.querySelectorAll("[data-pane]")];
const show = (button, isShown) => {
  const pane = document.getElementById(button.dataset.pane);
  button.setAttribute("aria-pressed", isShown);
  pane.hidden = !isShown;
  const place = pane.querySelector("[data-packed]");
  if (isShown && place) open(place);
};
for (const button of switches) {
  show(button, button.getAttribute("aria-pressed") === "true");
  button.addEventListener("click", () => show(button, button.getAttribute("aria-pressed") !== "true"));
}

// Choices between figures, as programs of an access map.
for (const chooser of document.querySelectorAll("select[data-group]"))
  chooser.addEventListener("change", () => {
    for (const figure of document.querySelectorAll(`[data-member="${chooser.dataset.group}"]`))
      figure.hidden = figure.dataset.value !== chooser.value;
  });

const theme = document.getElementById("theme");
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = name => { document.documentElement.dataset.theme = name; };
paint(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => paint(dark.matches ? "dark" : "light"));
theme.addEventListener("click", () =>
  paint(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

// Diffs of passes, with the numbers of lines before and after.
let diffs = null;
const fill = async details => {
  const place = details.querySelector(".diff");
  if (!place || place.childElementCount) return;
  diffs ??= unpack(document.getElementById("diffs").textContent).then(JSON.parse);
  const kinds = { "+": "add", "-": "del", "@": "at" };
  const width = 5;
  let numbers = [0, 0];
  for (const line of (await diffs)[place.dataset.diff]) {
    const span = document.createElement("span");
    const kind = line[0];
    span.className = kinds[kind] ?? "";
    span.textContent = line || " ";
    if (kind === "@") numbers = line.match(/[-+]\d+/g).map(number => Math.abs(number));
    const shown = ["+", "-"].map((other, side) =>
      String(kind === "@" || kind === other ? "" : numbers[side]++).padStart(width));
    span.dataset.lines = shown.join("") + "  ";
    place.append(span);
  }
};
for (const details of document.querySelectorAll("details.pass"))
  details.addEventListener("toggle", () => details.open && fill(details));

// Keys: arrows move between linked lines of a pane, Enter pins, digits switch panes.
const step = (row, by) => {
  const rows = [...row.closest(".pane").querySelectorAll("[data-s]")];
  const next = rows[rows.indexOf(row) + by];
  if (next) { next.focus(); point(next, next); }
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const row = document.activeElement?.matches(".code [data-s]") ? document.activeElement : null;
  const number = event.key === "0" ? 10 : Number(event.key);
  if (number >= 1 && number <= switches.length && !event.target.matches("select"))
    switches[number - 1].click();
  else if (row && (event.key === "ArrowDown" || event.key === "j")) { step(row, 1); event.preventDefault(); }
  else if (row && (event.key === "ArrowUp" || event.key === "k")) { step(row, -1); event.preventDefault(); }
  else if (row && event.key === "Enter") { pinned = row; pin(row); }
  else if (event.key === "Escape") { pinned = null; pin(null); point(null, null); }
});
for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));
const save = document.getElementById("save-ttir");
save?.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([document.getElementById("source-ttir").textContent.slice(1)]));
  link.download = save.dataset.name;
  link.click();
});
