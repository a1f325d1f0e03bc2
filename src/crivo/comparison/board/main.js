// ── The page: what stands where, and what happens when ──
const option = (text, value = text) => { const found = make("option", text); found.value = value; return found; };
const heading = (box, title, spec, height) => {
  const outer = make("figure"), chart = make("div", "", { class: "chart" });
  outer.append(make("h3", title), chart);
  box.append(outer);
  figure(chart, spec, height);
};

const fillFilters = () => {
  const models = modelOf ? modelOf.values.map(String) : [];
  $("model").append(option("all", ""), ...models.map((one) => option(one)));
  $("model").parentElement.hidden = models.length < 2;
  const verdicts = VERDICTS.filter((one) => E.verdict.includes(one));
  $("verdict").append(option("all", ""), ...verdicts.map((one) => option(one)));
  $("search").addEventListener("input", later(() => { state.search = $("search").value; refilter(); }, 120));
  for (const name of ["model", "verdict"]) $(name).addEventListener("change", () => { state[name] = $(name).value; refilter(); });
  $("starred").addEventListener("change", () => { state.starred = $("starred").checked; refilter(); });
  $("clear").addEventListener("click", () => {
    Object.assign(state, { search: "", model: "", verdict: "", starred: false });
    $("search").value = $("model").value = $("verdict").value = "";
    $("starred").checked = false;
    refilter();
  });
  for (const button of document.querySelectorAll("button[data-verdict]")) button.addEventListener("click", () => {
    state.verdict = state.verdict === button.dataset.verdict ? "" : button.dataset.verdict;
    $("verdict").value = state.verdict;
    refilter();
  });
};
const refilter = () => { state.page = 0; changed(); };

const fillColumns = () => {
  for (const column of COLUMNS.filter((one) => !one.always)) {
    const label = make("label"), box = make("input", "", { type: "checkbox" });
    box.checked = isShown.has(column.key);
    box.addEventListener("change", () => {
      if (box.checked) isShown.add(column.key); else isShown.delete(column.key);
      drawHead(); drawBody();
    });
    label.append(box, ` ${column.say ?? column.name}`);
    $("columns").append(label);
  }
  $("sort").append(option("the comparison's order", "order"), ...COLUMNS.map((one) => option(one.say ?? one.name, one.key)));
  $("sort").addEventListener("change", () => { state.sort = "order"; if ($("sort").value === "order") changed(); else sortBy($("sort").value); });
};

const fillForest = () => {
  $("forest-metric").append(...V.metrics.map(({ name }) => option(name)));
  $("forest-metric").value = V.primary;
  const slices = () => {
    const before = $("forest-slice").value, known = Object.keys(V.slices[$("forest-metric").value] ?? {});
    $("forest-slice").replaceChildren(option("all rows: corrected differences", ""), ...known.map((one) => option(`${one}: own values`, one)));
    $("forest-slice").value = known.includes(before) ? before : "";
  };
  slices();
  const again = () => { const one = figures.get($("forest")); one.dirty = true; draw($("forest")); };
  $("forest-metric").addEventListener("change", () => { slices(); again(); });
  for (const id of ["forest-slice", "forest-count"]) $(id).addEventListener("change", again);
  figure($("forest"), forest, 120);
};

const FEW = 9;
let most = FEW;
const fillSettings = () => {
  const box = $("settings-charts"), all = varying(), wanted = all.slice(0, most).map((one) => one.key).join();
  if (box.dataset.keys === wanted && wanted) return;
  box.dataset.keys = wanted;
  for (const chart of box.querySelectorAll(".chart")) forget(chart);
  box.replaceChildren();
  for (const one of all.slice(0, most)) heading(box, one.name, settingChart(one), 190);
  if (!all.length) box.append(make("p", "The experiments shown have the same settings. They differ in code, packages or data.", { class: "soft" }));
  $("more-settings").hidden = all.length <= most;
  $("more-settings").textContent = `Show ${all.length - most} more settings`;
};

const fillCost = () => {
  const box = $("cost-charts");
  if (E.model_bytes.some(finite)) heading(box, "Size of the model file", costChart(E.model_bytes.map((one) => finite(one) ? one / 1e6 : null), "size in MB", (one) => `${one.toPrecision(3)} MB`), 240);
  const times = [
    [E.seconds, "Duration of the trial, including all stages that ran", ""], [E.fit_seconds, "Time to fit the model", ""],
    [E.predict_seconds, "Time per row when all evaluated rows are predicted", " per row"],
  ];
  for (const [values, title, each] of times.filter(([values]) => values.some(finite))) {
    const [unit, size] = unitOf(Math.max(...values.filter(finite)));
    heading(box, title, costChart(values.map((one) => finite(one) ? one / size : null), `time in ${unit}${each}`, (one) => duration(one * size)), 240);
  }
  if (!box.childNodes.length) box.append(make("p", "No experiment has a recorded size or duration; experiments made with `crivo try` have both.", { class: "soft" }));
};

const fillCurves = () => {
  const known = V.in_full.filter((i) => V.curves.some((kind) => kind.of[i]));
  const first = known.filter((i) => i === REFERENCE || E.starred[i]), best = known.filter((i) => i !== REFERENCE).slice(0, 4);
  for (const i of [...first, ...best].slice(0, 8)) drawn.add(i);
  for (const i of known) {
    const label = make("label"), box = make("input", "", { type: "checkbox" }), { colour, dash } = styleOf(V.in_full.indexOf(i));
    box.checked = drawn.has(i);
    box.addEventListener("change", () => {
      if (box.checked) drawn.add(i); else drawn.delete(i);
      for (const chart of $("curve-charts").querySelectorAll(".chart")) { figures.get(chart).dirty = true; draw(chart); }
    });
    const swatch = make("span", "", { class: "swatch" });
    swatch.style.borderTopColor = colour;
    swatch.style.borderTopStyle = dash.length === 2 && dash[1] === 0 ? "solid" : "dashed";
    label.append(box, " ", swatch, ` ${E.name[i]}`);
    $("curve-choice").append(label);
  }
  for (const kind of V.curves) heading($("curve-charts"), kind.title, curveChart(kind), 270);
  $("curve-choice").parentElement.hidden = !known.length;
  const lacking = V.without_curves ? ` The curves of ${V.without_curves} of these aren't in this clone's DVC cache; \`dvc exp pull\` fetches the shared ones.` : "";
  say("curve-text", known.length ? `The page contains the curves of the reference, the starred experiments and the best ones.${lacking}` : `There are no curves.${lacking}`);
};

const fillNav = () => {
  for (const part of document.querySelectorAll("main > section:not([hidden]) h2")) {
    const link = make("a", part.textContent, { href: `#${part.id}` });
    document.querySelector("nav").append(link);
  }
};

const status = () => {
  say("shown", state.shown.length === COUNT ? `All ${COUNT.toLocaleString("en")} shown` : `${state.shown.length.toLocaleString("en")} of ${COUNT.toLocaleString("en")} shown`);
  for (const button of document.querySelectorAll("button[data-verdict]")) button.setAttribute("aria-pressed", state.verdict === button.dataset.verdict);
  if (state.sort !== "order") $("sort").value = state.sort;
};

const start = () => {
  // One experiment has nothing beside it.
  const alone = "#filters, main > section:has(.chart, .grid):not(:has(#curves))";
  if (COUNT < 2) for (const section of document.querySelectorAll(alone)) section.hidden = true;
  fillNav(); fillFilters(); fillColumns();
  listeners.push(status, drawHead, drawBody);
  changed();
  fillForest(); fillSettings();
  figure($("parallel"), parallel, 310);
  fillCost();
  figure($("over-time"), overTime, 270);
  fillCurves();
  listeners.push(fillSettings, later(redraw, 60));
  $("more-settings").addEventListener("click", () => { most = Infinity; fillSettings(); });
  let width = innerWidth;
  addEventListener("resize", later(() => { if (innerWidth !== width) { width = innerWidth; redraw(); } }, 150));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // On paper everything is in sight.
  addEventListener("beforeprint", () => { for (const [element, one] of figures) { one.seen = true; draw(element); } });
};
start();
