"use strict";
// Tables: a click on a head sorts by the cells' numbers, or by their texts.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const number = (cell) => (cell.dataset.v ? Number(cell.dataset.v) : NaN);
  heads.forEach((head, i) => {
    const numeric = head.classList.contains("n");
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (a, b) => {
        if (!numeric) return (down ? -1 : 1) * a.cells[i].textContent.localeCompare(b.cells[i].textContent);
        const [m, n] = [number(a.cells[i]), number(b.cells[i])];
        return Number.isNaN(m) ? 1 : Number.isNaN(n) ? -1 : (down ? n - m : m - n);
      };
      body.append(...[...body.rows].sort(order));
    });
  });
}
// Forest plots: sorted by what was found, by name or by size; then all rows stand in one list.
for (const bar of document.querySelectorAll(".sorts")) {
  const list = bar.nextElementSibling.nextElementSibling, rest = list.nextElementSibling;
  const further = rest?.querySelector(":scope > ol.forest");
  const rows = [...list.children, ...(further?.children ?? [])];
  const orders = {
    "worst first": () => 0,
    name: (a, b) => a.dataset.name.localeCompare(b.dataset.name, undefined, { numeric: true }),
    size: (a, b) => b.dataset.size - a.dataset.size,
  };
  bar.append("Sort by");
  bar.hidden = false;
  for (const [name, order] of Object.entries(orders)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.setAttribute("aria-pressed", name === "worst first");
    button.addEventListener("click", () => {
      for (const other of bar.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
      list.append(...[...rows].sort(order));
      if (further) rest.hidden = true;
    });
    bar.append(button);
  }
}
// Plots: the values under the pointer, or of the point chosen by the arrow keys.
for (const plot of document.querySelectorAll(".plot[data-values]")) {
  const svg = plot.querySelector("svg"), path = svg.querySelector(".series");
  const points = [...path.getAttribute("d").matchAll(/([\d.]+) ([\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  const names = plot.dataset.names.split("|"), values = plot.dataset.values.split(";").map((row) => row.split("|"));
  if (points.length !== values.length) continue;
  const mark = document.createElement("span"), box = svg.viewBox.baseVal;
  const readout = plot.nextElementSibling;
  const hint = "Point at the curve, or use the arrow keys.";
  mark.className = "at";
  mark.hidden = true;
  plot.append(mark);
  readout.textContent = hint;
  let chosen = 0;
  const show = (i) => {
    chosen = Math.max(0, Math.min(points.length - 1, i));
    mark.hidden = false;
    mark.style.left = `${(100 * points[chosen][0]) / box.width}%`;
    mark.style.top = `${(100 * points[chosen][1]) / box.height}%`;
    const text = names.map((name, k) => `${name} ${values[chosen][k] || "–"}`).join(", ");
    readout.textContent = text;
    plot.setAttribute("aria-valuenow", chosen);
    plot.setAttribute("aria-valuetext", text);
  };
  const hide = () => { mark.hidden = true; readout.textContent = hint; };
  const set = { role: "slider", tabindex: "0", "aria-valuemin": "0", "aria-valuemax": points.length - 1,
    "aria-valuenow": "0", "aria-valuetext": names.map((name, k) => `${name} ${values[0][k] || "–"}`).join(", "),
    "aria-label": `Points of: ${plot.getAttribute("aria-label")}` };
  for (const [name, value] of Object.entries(set)) plot.setAttribute(name, value);
  plot.addEventListener("pointermove", (event) => {
    const area = svg.getBoundingClientRect();
    const x = ((event.clientX - area.left) / area.width) * box.width;
    const y = ((event.clientY - area.top) / area.height) * box.height;
    const far = points.map(([u, v]) => (u - x) ** 2 + 0.2 * (v - y) ** 2);
    show(far.indexOf(Math.min(...far)));
  });
  plot.addEventListener("pointerleave", hide);
  plot.addEventListener("focus", () => show(chosen));
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10,
      Home: -points.length, End: points.length }[event.key];
    if (step) { event.preventDefault(); show(chosen + step); }
  });
}
