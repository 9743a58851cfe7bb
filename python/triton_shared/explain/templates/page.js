// A module: its names are its own.
const panes = [...document.querySelectorAll(".pane")];
const linked = [...document.querySelectorAll("[data-s]")];
const bySource = new Map();
for (const row of linked)
  for (const source of row.dataset.s.split(" ")) {
    if (!bySource.has(source)) bySource.set(source, []);
    bySource.get(source).push(row);
  }
const mark = (row, name) => {
  for (const old of document.querySelectorAll("." + name)) old.classList.remove(name);
  if (!row) return;
  for (const source of row.dataset.s.split(" "))
    for (const other of bySource.get(source)) other.classList.add(name);
};
// Brings the first row of each other pane that belongs to `row` into sight.
const follow = row => {
  for (const pane of panes) {
    if (pane.hidden || pane.contains(row)) continue;
    const first = pane.querySelector(".pin");
    if (first) pane.scrollTop = first.offsetTop - pane.clientHeight / 3;
  }
};
const pin = row => { mark(row, "pin"); if (row) follow(row); };
const rowOf = event => event.target.closest("[data-s]");
document.addEventListener("mouseover", event => mark(rowOf(event), "hover"));
document.addEventListener("click", event => {
  const row = rowOf(event);
  if (row) pin(row.classList.contains("pin") && row === pinned ? null : row);
  pinned = row && document.querySelector(".pin") ? row : null;
});
let pinned = null;

// Which panes are shown.
const switches = [...document.querySelectorAll("[data-pane]")];
const show = (button, isShown) => {
  button.setAttribute("aria-pressed", isShown);
  document.getElementById(button.dataset.pane).hidden = !isShown;
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

// Diffs of passes lie compressed in the page until somebody looks.
const unpack = async text => {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
};
let diffs = null;
const fill = async details => {
  const place = details.querySelector(".diff");
  if (!place || place.childElementCount) return;
  diffs ??= unpack(document.getElementById("diffs").textContent);
  const kinds = { "+": "add", "-": "del", "@": "at" };
  for (const line of (await diffs)[place.dataset.diff]) {
    const span = document.createElement("span");
    span.className = kinds[line[0]] ?? "";
    span.textContent = line || " ";
    place.append(span);
  }
};
for (const details of document.querySelectorAll("details.pass"))
  details.addEventListener("toggle", () => details.open && fill(details));

// Keys: arrows move between linked lines of a pane, Enter pins, digits switch panes.
const step = (row, by) => {
  const rows = [...row.closest(".code").querySelectorAll("[data-s]")];
  const next = rows[rows.indexOf(row) + by];
  if (next) { next.focus(); mark(next, "hover"); }
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const row = document.activeElement?.matches(".code [data-s]") ? document.activeElement : null;
  const number = Number(event.key);
  if (number >= 1 && number <= switches.length && !event.target.matches("select"))
    switches[number - 1].click();
  else if (row && (event.key === "ArrowDown" || event.key === "j")) { step(row, 1); event.preventDefault(); }
  else if (row && (event.key === "ArrowUp" || event.key === "k")) { step(row, -1); event.preventDefault(); }
  else if (row && event.key === "Enter") { pinned = row; pin(row); }
  else if (event.key === "Escape") { pinned = null; pin(null); mark(null, "hover"); }
});
// One line of each pane can be reached by Tab.
for (const pane of panes) {
  const rows = pane.querySelectorAll("[data-s]");
  rows.forEach((row, number) => { row.tabIndex = number ? -1 : 0; });
}

for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy));
const save = document.getElementById("save-ttir");
save?.addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([document.getElementById("source-ttir").textContent.slice(1)]));
  link.download = save.dataset.name;
  link.click();
});
