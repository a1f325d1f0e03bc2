// ── The table: one page of it at a time ──
const PAGE = 25;
const ownSetting = (one) => ({
  key: `setting:${one.key}`, name: one.name, hidden: true, value: (i) => setting(one, i),
  text: (i) => setting(one, i) === null ? "" : String(setting(one, i)),
  number: one.values.every((value) => typeof value === "number"),
});
const ownMetric = ({ name }) => ({
  key: `metric:${name}`, name: `${name} ±`, hidden: true, number: true, down: METRICS.get(name).direction === "higher",
  value: (i) => metricOf(name, i)?.value, text: (i) => valueText(name, i),
});
const COLUMNS = [
  { key: "star", name: "★", value: (i) => E.starred[i] ? 1 : 0, text: (i) => E.starred[i] ? "★" : "", down: true, say: "star" },
  { key: "name", name: "experiment", value: (i) => E.name[i], text: (i) => E.name[i], always: true },
  { key: "value", name: `${V.primary} ±`, number: true, value: (i) => E.value[i], text: (i) => valueText(V.primary, i), down: METRICS.get(V.primary)?.direction === "higher" },
  { key: "difference", name: `difference from ${V.reference}`, number: true, value: (i) => E.difference[i], text: (i) => differenceText(V.primary, i), down: METRICS.get(V.primary)?.direction === "higher" },
  { key: "verdict", name: "verdict", value: (i) => E.verdict[i], text: (i) => E.verdict[i] },
  { key: "changed", name: "changed", value: (i) => E.changed[i], text: (i) => E.changed[i], wide: true },
  { key: "worse", name: "worse in", value: (i) => E.worse[i], text: (i) => E.worse[i], wide: true, hidden: !E.worse.some(Boolean) },
  { key: "not_worse", name: "not worse in", hidden: true, value: (i) => E.not_worse[i], text: (i) => E.not_worse[i], wide: true },
  { key: "when", name: "recorded", value: (i) => E.when[i], text: (i) => day(E.when[i]), down: true },
  { key: "author", name: "author", value: (i) => E.author[i], text: (i) => E.author[i], hidden: new Set(E.author).size < 2 },
  { key: "message", name: "hypothesis", hidden: true, value: (i) => E.message[i], text: (i) => E.message[i], wide: true },
  { key: "notes", name: "notes", hidden: !E.notes.some((one) => one.length), value: (i) => E.notes[i].join(" "), text: (i) => E.notes[i].join(" "), wide: true },
  { key: "size", name: "model file", number: true, value: (i) => E.model_bytes[i], text: (i) => megabytes(E.model_bytes[i]), hidden: !E.model_bytes.some(finite) },
  { key: "seconds", name: "ran for", number: true, value: (i) => E.seconds[i], text: (i) => duration(E.seconds[i]), hidden: !E.seconds.some(finite) },
  { key: "fit", name: "fitted in", number: true, value: (i) => E.fit_seconds[i], text: (i) => duration(E.fit_seconds[i]), hidden: true },
  { key: "row", name: "time per row", number: true, value: (i) => E.predict_seconds[i], text: (i) => duration(E.predict_seconds[i]), hidden: true },
  { key: "trial", name: "trial", number: true, hidden: true, value: (i) => E.trial[i], text: (i) => String(E.trial[i]), down: true },
  ...V.metrics.filter((one) => one.name !== V.primary).map(ownMetric),
  ...SETTINGS.map(ownSetting),
];
const isShown = new Set(COLUMNS.filter((one) => !one.hidden).map((one) => one.key));
const columnOf = (key) => COLUMNS.find((one) => one.key === key);
const missing = (value) => value === null || value === undefined || value === "";

// What has no value comes last, whichever way round.
const sorted = (places) => {
  const column = columnOf(state.sort);
  if (!column) return places;
  const turn = state.down ? -1 : 1;
  const keyed = places.map((i) => [column.value(i), i]);
  const collator = new Intl.Collator("en", { numeric: true });
  keyed.sort(([a, i], [b, j]) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b) || i - j;
    return turn * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b)) || i - j;
  });
  return keyed.map(([, i]) => i);
};

const sortBy = (key) => {
  state.down = state.sort === key ? !state.down : Boolean(columnOf(key)?.down);
  state.sort = key;
  state.page = 0;
  changed();
};

const drawHead = () => {
  const row = make("tr");
  for (const column of COLUMNS.filter((one) => isShown.has(one.key))) {
    const head = make("th", "", { scope: "col" });
    if (column.number) head.classList.add("n");
    const button = make("button", column.name, { type: "button", "data-key": column.key });
    if (column.say) button.setAttribute("aria-label", column.say);
    if (state.sort === column.key) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    button.addEventListener("click", () => { sortBy(column.key); $("experiments").querySelector(`button[data-key="${CSS.escape(column.key)}"]`)?.focus(); });
    head.append(button);
    row.append(head);
  }
  $("experiments").tHead.replaceChildren(row);
};

const cell = (column, i) => {
  const found = make("td", "", { "data-label": column.say ?? column.name });
  if (column.number) found.classList.add("n");
  if (column.wide || column.key === "difference") found.classList.add("text", `of-${column.key}`);
  const text = column.text(i);
  if (column.key === "name") {
    found.classList.add("name");
    const button = make("button", text, { type: "button", "aria-expanded": state.open.has(i) });
    button.addEventListener("click", () => toggle(i));
    found.append(button);
  } else if (column.key === "verdict") found.append(make("span", text, { class: `verdict ${text}` }));
  else if (text) found.textContent = text;
  return found;
};

const toggle = (i) => {
  if (!state.open.delete(i)) state.open.add(i);
  drawBody();
  $("experiments").querySelector(`tr[data-place="${i}"] td.name button`)?.focus();
};

const drawBody = () => {
  const columns = COLUMNS.filter((one) => isShown.has(one.key));
  const pages = Math.max(1, Math.ceil(state.shown.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const rows = [];
  for (const i of state.shown.slice(state.page * PAGE, (state.page + 1) * PAGE)) {
    const row = make("tr", "", { "data-place": i });
    if (i === REFERENCE) row.classList.add("reference");
    row.append(...columns.map((column) => cell(column, i)));
    rows.push(row);
    if (state.open.has(i)) rows.push(detailRow(i, columns.length));
  }
  $("experiments").tBodies[0].replaceChildren(...rows);
  drawPager(pages);
};

const drawPager = (pages) => {
  const pager = $("pager");
  if (pages < 2) return pager.replaceChildren();
  const step = (text, page, label) => {
    const button = make("button", text, { type: "button", "aria-label": label });
    button.disabled = page < 0 || page >= pages;
    button.addEventListener("click", () => { state.page = page; drawBody(); $("table").scrollIntoView(); });
    return button;
  };
  const from = state.page * PAGE + 1, to = Math.min(from + PAGE - 1, state.shown.length);
  return pager.replaceChildren(
    step("‹ previous", state.page - 1, "previous experiments"),
    make("span", `${from}–${to} of ${state.shown.length.toLocaleString("en")}`),
    step("next ›", state.page + 1, "next experiments"));
};

// Open an experiment's details where it stands, and go there.
const show = (i) => {
  const place = state.shown.indexOf(i);
  if (place < 0) return;
  state.page = Math.floor(place / PAGE);
  state.open.add(i);
  drawBody();
  const button = $("experiments").querySelector(`tr[data-place="${i}"] td.name button`);
  button.scrollIntoView({ block: "center" });
  button.focus({ preventScroll: true });
};

// ── The details of one experiment ──
const part = (title, ...content) => {
  const found = make("div");
  found.append(make("h3", title), ...content);
  return found;
};

const detailRow = (i, width) => {
  const row = make("tr", "", { class: "detail" }), box = make("td", "", { colspan: width });
  const parts = make("div", "", { class: "parts" });
  parts.append(part("Metrics", metricsOf(i)));
  const differing = SETTINGS.filter((one) => REFERENCE >= 0 && one.of[i] !== one.of[REFERENCE]);
  if (differing.length) parts.append(part("Settings that differ from the reference", settingsOf(i, differing)));
  const said = make("div");
  if (E.message[i]) said.append(make("p", `“${E.message[i]}”`));
  for (const note of E.notes[i]) said.append(make("p", `${note}`));
  if (said.childNodes.length) parts.append(part("Hypothesis and notes", said));
  parts.append(part("What to do", commandsOf(i)));
  box.append(parts);
  row.append(box);
  return row;
};

const metricsOf = (i) => {
  const table = make("table"), body = make("tbody"), head = make("tr");
  for (const title of ["metric", "value", "difference", "verdict"]) head.append(make("th", title, { scope: "col" }));
  for (const { name } of V.metrics) {
    const of = metricOf(name, i);
    if (!finite(of?.value)) continue;
    const row = make("tr"), verdict = verdictOf(i, name);
    const words = verdict === "undecided" && of.not_worse ? "undecided, not worse" : verdict;
    row.append(make("td", name), make("td", valueText(name, i)), make("td", differenceText(name, i)), make("td", words));
    body.append(row);
  }
  const top = make("thead");
  top.append(head);
  table.append(top, body);
  return table;
};

const settingsOf = (i, differing) => {
  const list = make("ul");
  for (const one of differing) {
    const told = (value) => value === null ? "not read" : String(value);
    list.append(make("li", `${one.key}: ${told(setting(one, i))} (reference: ${told(setting(one, REFERENCE))})`));
  }
  return list;
};

const quoted = (name) => /^[\w.+=,@:/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
const commandsOf = (i) => {
  // Names that two experiments share stand with the commit that each started from.
  const name = quoted(E.name[i].includes("@") ? E.revision[i] : E.name[i]), box = make("div");
  const commands = E.trial_made[i]
    ? [`crivo report ${name} --open`, `dvc exp apply ${name}`, `crivo confirm ${name}`, `crivo compare ${quoted(V.reference)} ${name} --rows`, `crivo note ${name} "…"`, `crivo note ${name} --star`]
    : [`git switch --detach ${E.revision[i].slice(0, 10)}`, `crivo trace ${E.revision[i].slice(0, 10)}`];
  for (const text of commands) {
    const line = make("div", "", { class: "command" });
    const button = make("button", "copy", { type: "button", "aria-label": `copy ${text}` });
    button.addEventListener("click", () => copy(text, button));
    line.append(button, make("code", text));
    box.append(line);
  }
  return box;
};

// A page that was opened from the disk may not have the clipboard: then the text is selected.
const copy = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  } catch {
    getSelection().selectAllChildren(button.nextElementSibling);
    button.textContent = "selected";
  }
};
