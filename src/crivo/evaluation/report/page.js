"use strict";
// Plots: the values under the pointer, or of the point chosen by the arrow keys.
for (const plot of document.querySelectorAll(".plot[data-values]")) {
  const svg = plot.querySelector("svg"), path = svg.querySelector(".series");
  const points = [...path.getAttribute("d").matchAll(/([\d.]+) ([\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  const names = plot.dataset.names.split("\t"), values = plot.dataset.values.split(";").map((row) => row.split("|"));
  if (points.length !== values.length) continue;
  const mark = document.createElement("span"), box = svg.viewBox.baseVal;
  const readout = plot.nextElementSibling;
  mark.className = "at";
  mark.hidden = true;
  plot.append(mark);
  document.querySelector(".hint").hidden = false;
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
  const hide = () => { mark.hidden = true; readout.textContent = ""; };
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
// What if: the value of other gains and shares, from the rows that each share flags and hits.
const whatIf = document.getElementById("what-if");
if (whatIf) {
  const points = [[0, 0], ...whatIf.dataset.points.split(";").filter(Boolean).map((p) => p.split(" ").map(Number))];
  const [all, positives] = points.at(-1);
  const get = (name) => Number(whatIf.querySelector(`[name=${name}]`).value);
  const value = ([flagged, hits]) => get("true_positive") * hits + get("false_positive") * (flagged - hits)
    + get("false_negative") * (positives - hits) + get("true_negative") * (all - positives - flagged + hits);
  const at = (flagged) => {
    const i = Math.max(1, points.findIndex((point) => point[0] >= flagged)), [a, b] = [points[i - 1], points[i]];
    const part = (flagged - a[0]) / (b[0] - a[0] || 1);
    return [flagged, a[1] + part * (b[1] - a[1])];
  };
  const money = (amount) => {
    const text = Math.abs(amount).toLocaleString("en", { maximumSignificantDigits: 3 }), unit = whatIf.dataset.currency;
    return (amount < 0 ? "−" : "") + (/^[a-z]/i.test(unit) ? `${text} ${unit}` : unit + text);
  };
  const show = () => {
    const values = points.map(value), low = Math.min(0, ...values), high = Math.max(0, ...values);
    const place = (flagged, amount) => `${((400 * flagged) / all).toFixed(1)} ${(115 - (110 * (amount - low)) / (high - low || 1)).toFixed(1)}`;
    const share = get("share"), chosen = at((all * share) / 100), best = points[values.indexOf(Math.max(...values))];
    whatIf.querySelector(".curve").setAttribute("d", `M${points.map((point, i) => place(point[0], values[i])).join("L")}`);
    whatIf.querySelectorAll("[x='-6']").forEach((text, i) => {
      const amount = [0, high, low][i];
      text.setAttribute("y", 4 + Number(place(0, amount).split(" ")[1]));
      text.textContent = i && Math.abs(amount) < 0.12 * (high - low) ? "" : money(amount);
    });
    whatIf.querySelector(".zero").setAttribute("d", `M${place(0, 0)}L${place(all, 0)}`);
    const [x, y] = place(chosen[0], value(chosen)).split(" "), dot = whatIf.querySelector("circle");
    dot.setAttribute("cx", x);
    dot.setAttribute("cy", y);
    whatIf.querySelector("[role=status]").textContent = `Flagging ${share}\u00a0% of the ${whatIf.dataset.rows} is worth ${money(value(chosen))} per 1,000. `
      + `The highest value on these ${whatIf.dataset.rows} is ${money(value(best))}, at ${(100 * best[0] / all).toFixed(1)}\u00a0%; this value is too optimistic.`;
  };
  // A number and its slider have the same value; a slider gives round ones.
  whatIf.addEventListener("input", ({ target }) => {
    const chosen = target.type === "range" ? Number(Number(target.value).toPrecision(3)) : target.value;
    for (const other of target.parentElement.querySelectorAll("input")) if (other !== target) other.value = chosen;
    show();
  });
  whatIf.hidden = false;
  show();
}
