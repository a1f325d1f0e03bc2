// ── Drawing: Vega-Lite, each chart when it comes into sight ──
const VERDICTS = ["better", "equivalent", "identical", "undecided", "worse", "reference"];
const SHAPES = ["triangle-up", "square", "diamond", "circle", "triangle-down", "cross"];
const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

const theme = () => {
  const [ink, soft, line] = ["ink", "soft", "line"].map(colourOf);
  const words = { labelColor: ink, titleColor: ink, labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif", labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500 };
  return {
    background: "transparent", padding: { left: 2, top: 4, right: 16, bottom: 4 }, font: "system-ui, sans-serif", view: { stroke: line },
    axis: { ...words, gridColor: line, domainColor: soft, tickColor: soft, labelLimit: 240, titleLimit: 700 }, axisY: { titlePadding: 10 },
    legend: { ...words, symbolSize: 70, labelLimit: 220 }, mark: { tooltip: true },
  };
};

const verdictScale = () => ({
  domain: VERDICTS, range: ["good", "same", "same", "note", "bad", "ink"].map(colourOf),
});
// Colour and shape both say the verdict: one of them alone isn't seen by everybody.
const byVerdict = (present, title = null) => {
  const values = VERDICTS.filter((one) => present.has(one));
  const legend = values.length > 1 ? { title, orient: "top", values, columns: 3 } : null;
  return {
    color: { field: "verdict", type: "nominal", scale: verdictScale(), legend },
    shape: { field: "verdict", type: "nominal", scale: { domain: VERDICTS, range: SHAPES }, legend },
  };
};
const TOLD = [
  { field: "name", title: "experiment" }, { field: "told", title: "value" },
  { field: "changed", title: "changed" }, { field: "verdict", title: "verdict" },
];
const cut = (text, most = 160) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

// What every chart knows of an experiment.
const pointOf = (i) => ({
  i, name: E.name[i], value: E.value[i], verdict: E.verdict[i], changed: cut(E.changed[i] || "nothing"),
  told: `${valueText(V.primary, i)}; ${differenceText(V.primary, i)}`,
});
// Later ones are drawn over earlier ones: the reference, and what has a verdict, last.
const LAYERS = ["undecided", "identical", "equivalent", "worse", "better", "reference"];
const layered = (rows) => rows.sort((a, b) => LAYERS.indexOf(a.verdict) - LAYERS.indexOf(b.verdict));
const dots = (count) => ({ type: "point", filled: true, size: count > 300 ? 22 : 50, opacity: count > 300 ? 0.55 : 0.8 });
const verdictsOf = (rows) => new Set(rows.map((row) => row.verdict));
// `few`: of so many different settings each has its place; what was measured has a scale.
const axisOf = (values, few = 5) => {
  const numbers = values.filter(finite);
  if (numbers.length < values.length) return { type: "nominal" };
  if (new Set(numbers).size <= few) return { type: "nominal" };
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)], log = low > 0 && high / low >= 20;
  return { type: "quantitative", scale: { ...(log ? { type: "log" } : { zero: false }), nice: false, padding: 10 } };
};
const valueAxis = (title = `${V.primary} (${direction(V.primary)})`) =>
  ({ field: "value", type: "quantitative", scale: { zero: false, padding: 8 }, title });

const figures = new Map();
// `height`: the place that is kept free for it, so that nothing moves when it is drawn.
const figure = (element, spec, height) => {
  figures.set(element, { spec, dirty: true, seen: false, turn: 0 });
  element.style.minHeight = `${height}px`;
  sight.observe(element);
};
const forget = (element) => { figures.get(element)?.view?.finalize(); figures.delete(element); sight.unobserve(element); };

const draw = async (element) => {
  const one = figures.get(element);
  if (!one?.seen || !one.dirty) return;
  one.dirty = false;
  const turn = ++one.turn, width = element.clientWidth;
  if (!width) { one.dirty = true; return; }
  const spec = one.spec(width);
  one.view?.finalize();
  one.view = undefined;
  if (!spec) { element.style.minHeight = ""; element.replaceChildren(make("p", "Nothing to draw.", { class: "soft" })); return; }
  const text = spec.description ?? "";
  const made = await vegaEmbed(element, {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json", width, autosize: { type: "fit", contains: "padding" }, ...spec,
  }, { mode: "vega-lite", ast: true, renderer: "svg", config: theme(), actions: { export: true, source: false, compiled: false, editor: false } });
  if (turn !== one.turn) { made.finalize(); return; }
  one.view = made;
  const picture = element.querySelector("svg.marks");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", text);
  for (const part of picture.children) part.setAttribute("aria-hidden", "true");
  element.querySelector("summary")?.setAttribute("aria-label", "save this chart");
  made.view.addEventListener("click", (_, item) => { if (Number.isInteger(item?.datum?.i)) show(item.datum.i); });
};

const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const one = figures.get(entry.target);
    if (!one) continue;
    one.seen = entry.isIntersecting;
    if (one.seen) draw(entry.target);
  }
}, { rootMargin: "200px" });

const redraw = () => { for (const [element, one] of figures) { one.dirty = true; draw(element); } };
const later = (act, wait) => { let timer; return () => { clearTimeout(timer); timer = setTimeout(act, wait); }; };
