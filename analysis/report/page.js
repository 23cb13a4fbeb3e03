// Builds the page from its data: tables, schedules, and the choice of light or dark.

const data = JSON.parse(document.getElementById("data").textContent);
const grids = new Map();

for (const host of document.querySelectorAll("[data-grid]"))
  grids.set(host.dataset.grid, new Grid(host, data.grids[host.dataset.grid]));

for (const group of document.querySelectorAll("[data-choice]"))
  group.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const other of group.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", other === button);
      document.getElementById(other.value).hidden = other !== button;
    }
  });

const chart = document.getElementById("gantt");
const gantt = chart && new Gantt(chart, data.schedules, data.hues);

document.getElementById("theme").addEventListener("click", event => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  document.dispatchEvent(new Event("theme"));
});
