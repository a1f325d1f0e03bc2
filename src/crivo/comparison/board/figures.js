// ── The charts, each a function of the shown experiments ──
const compared = (places) => places.filter((i) => finite(E.value[i]));

const forest = (width) => {
  const metric = $("forest-metric").value, slice = $("forest-slice").value, count = Number($("forest-count").value);
  return slice === "" ? differences(width, metric, count) : ownValues(width, metric, slice, count);
};

const heightOf = (rows) => 75 + rows.length * (rows.length > 40 ? 16 : 20);
const nameWidth = (width) => Math.max(110, Math.min(330, width * 0.34));
const namesAxis = (width) => ({ field: "label", type: "ordinal", sort: null, title: null, axis: { labelLimit: nameWidth(width) } });
// Labels that are cut differ nevertheless.
const labelled = (rows, width) => {
  const seen = new Set();
  for (const row of rows) {
    row.label = middle(row.name, Math.floor(nameWidth(width) / 7.2));
    while (seen.has(row.label)) row.label += "′";
    seen.add(row.label);
  }
  return rows;
};
const interval = (width, title, encoding = {}) => {
  const y = namesAxis(width), x = { type: "quantitative", title, scale: { zero: false, padding: 8 }, axis: { labelOverlap: true, tickCount: Math.max(3, Math.floor(width / 110)) } };
  return [
    { mark: { type: "rule", strokeWidth: 2 }, encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, ...(encoding.color ? { color: encoding.color } : {}) } },
    { mark: { type: "point", filled: true, size: 75, opacity: 1 }, encoding: { y, x: { ...x, field: "at" }, ...encoding, tooltip: [{ field: "name", title: "experiment" }, { field: "told", title: "value" }, { field: "changed", title: "changed" }] } },
  ];
};

const differences = (width, metric, count) => {
  const places = state.shown.filter((i) => i !== REFERENCE && finite(metricOf(metric, i)?.difference));
  const rows = labelled(places.slice(0, count).map((i) => {
    const of = metricOf(metric, i);
    return { ...pointOf(i), at: of.difference, low: of.difference_low, high: of.difference_high, verdict: of.verdict, told: differenceText(metric, i) };
  }), width);
  const metricWords = direction(metric), near = METRICS.get(metric)?.direction === "nearest";
  say("forest-text", `${rows.length} of the ${places.length} experiments shown, in the table's order. Each point is the difference in ${metric}${near ? " (in the distance from the best value)" : ""}. Each line is the interval that decides the verdict, corrected for the number of trials${metric === V.primary ? "" : " and of metrics"}. Values to the ${near || METRICS.get(metric)?.direction === "lower" ? "left" : "right"} of 0 are better.`);
  if (!rows.length) return null;
  const zero = { mark: { type: "rule", color: colourOf("grey"), strokeDash: [4, 3] }, encoding: { x: { datum: 0 } } };
  return {
    description: `Differences in ${metric} from ${V.reference} with their intervals; the table below has the numbers.`,
    data: { values: rows }, height: heightOf(rows),
    layer: [zero, ...interval(width, `difference in ${metric} (${metricWords})`, byVerdict(verdictsOf(rows)))],
  };
};

const ownValues = (width, metric, slice, count) => {
  const of = V.slices[metric]?.[slice] ?? {};
  const found = state.shown.filter((i) => finite(of[i]?.[0]));
  const rows = labelled(found.slice(0, count).map((i) => ({ ...pointOf(i), at: of[i][0], low: of[i][1], high: of[i][2], told: sliceText(of[i]) })), width);
  say("forest-text", `${rows.length} of the ${found.length} experiments shown have values for the slice “${slice}”. The page has these values for the reference, the starred experiments and the best ones. The chart shows ${metric} on these rows with 95 % intervals. These values aren't differences and aren't corrected for the number of trials, so they give no verdict.`);
  if (!rows.length) return null;
  const layer = interval(width, `${metric} where ${slice} (${direction(metric)})`);
  if (of[REFERENCE]) layer.unshift({ mark: { type: "rule", color: colourOf("grey"), strokeDash: [4, 3] }, encoding: { x: { datum: of[REFERENCE][0] } } });
  return {
    description: `Own values of ${metric} where ${slice}, with 95 % intervals.`,
    data: { values: rows }, height: heightOf(rows), layer: layer.map((one) => ({ ...one, mark: { color: colourOf("link"), ...one.mark } })),
  };
};

const say = (id, text) => { $(id).textContent = text; };

// ── A setting against the metric ──
// Points of one category stand beside one another, the same way each time.
const spreadOut = (i) => ((i * 0.618034) % 1) - 0.5;
const settingChart = (one) => () => {
  const rows = compared(state.shown).filter((i) => setting(one, i) !== null).map((i) => ({ ...pointOf(i), at: setting(one, i), j: spreadOut(i) }));
  layered(rows);
  if (!rows.length) return null;
  const axis = axisOf(rows.map((row) => row.at)), nominal = axis.type === "nominal";
  const x = { field: "at", title: null, ...axis, ...(nominal ? { sort: one.values.map(String), axis: { labelAngle: one.values.length > 3 ? -40 : 0, labelLimit: 110 } } : { axis: { labelOverlap: true, tickCount: 5 } }) };
  if (nominal) for (const row of rows) row.at = String(row.at);
  return {
    description: `${V.primary} by ${one.key}, a point for each experiment.`, height: 180, data: { values: rows },
    mark: dots(rows.length),
    encoding: { x, ...(nominal ? { xOffset: { field: "j", type: "quantitative", scale: { domain: [-0.7, 0.7] } } } : {}), y: valueAxis(V.primary), ...plainVerdict(), tooltip: [{ field: "at", title: one.name }, ...TOLD] },
  };
};
const plainVerdict = () => {
  const { color, shape } = byVerdict(new Set());
  return { color, shape };
};

const variation = (one) => {
  const kept = state.shown.filter((i) => setting(one, i) !== null);
  return { one, kept: kept.length, distinct: new Set(kept.map((i) => setting(one, i))).size };
};
// Chosen blocks first, then what most experiments have in most values.
const varying = () => SETTINGS.map(variation).filter(({ distinct }) => distinct > 1)
  .sort((a, b) => (b.one.key === "model") - (a.one.key === "model") || b.kept * Math.min(b.distinct, 9) - a.kept * Math.min(a.distinct, 9))
  .map(({ one }) => one);

// ── All settings at once ──
const parallel = (width) => {
  const places = compared(state.shown);
  const axes = varying().slice(0, Math.max(2, Math.min(8, Math.floor(width / 140) - 1)));
  if (!axes.length || places.length < 2) { say("parallel-text", "Fewer than two settings or experiments vary."); return null; }
  const columns = [...axes.map((one) => scaleOf(one.name, places, (i) => setting(one, i))), scaleOf(V.primary, places, (i) => E.value[i])];
  const turn = METRICS.get(V.primary)?.direction === "lower" ? -1 : 1;
  places.sort((i, j) => turn * (E.value[i] - E.value[j]));
  const rows = places.flatMap((i) => columns.map((column) => ({ ...pointOf(i), axis: column.name, at: column.at(i), told: valueText(V.primary, i) })));
  const ticks = columns.flatMap((column) => column.ticks);
  say("parallel-text", `One line for each of the ${places.length.toLocaleString("en")} experiments shown, coloured by ${V.primary} (${direction(V.primary)}). A point below an axis means that the experiment doesn't use the setting. The chart has room for ${axes.length} of ${varying().length} varying settings.`);
  const order = columns.map((column) => column.name);
  const x = { field: "axis", type: "nominal", sort: order, title: null, scale: { padding: 0.35 }, axis: { labelAngle: width < 700 ? -30 : 0, labelLimit: 130, grid: true, orient: "top" } };
  const y = { field: "at", type: "quantitative", axis: null, scale: { domain: [-0.2, 1.15] } };
  return {
    description: `Parallel coordinates of ${order.join(", ")}.`, height: 300,
    layer: [
      { data: { values: rows }, mark: { type: "line", strokeWidth: places.length > 200 ? 0.8 : 1.4, opacity: places.length > 200 ? 0.35 : 0.7 }, encoding: { x, y, detail: { field: "i" }, color: { field: "value", type: "quantitative", title: V.primary, scale: ramp(), legend: { orient: "bottom", padding: 14, gradientLength: Math.min(200, width * 0.5) } } } },
      ...(REFERENCE >= 0 && places.includes(REFERENCE) ? [{ data: { values: rows.filter((row) => row.i === REFERENCE) }, mark: { type: "line", strokeWidth: 3, color: colourOf("ink"), strokeDash: [5, 3] }, encoding: { x, y, order: { field: "order" } } }] : []),
      { data: { values: ticks }, mark: { type: "text", align: "left", dx: 4, dy: -7, fontSize: 11, color: colourOf("ink"), tooltip: null, stroke: colourOf("paper"), strokeWidth: 3, limit: 110 }, encoding: { x, y, text: { field: "text" } } },
      { data: { values: ticks }, mark: { type: "text", align: "left", dx: 4, dy: -7, fontSize: 11, color: colourOf("ink"), tooltip: null, limit: 110 }, encoding: { x, y, text: { field: "text" } } },
    ],
  };
};

// From a worse value, which is soft, to a better one, on either paper.
const ramp = () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const range = dark ? ["#6a5aa8", "#3f97a8", "#f3e37c"] : ["#c9a24d", "#2f9e8f", "#3b1f6b"];
  return { range: METRICS.get(V.primary)?.direction === "lower" ? range.reverse() : range };
};
const NOT_READ = -0.14;
const scaleOf = (name, places, value) => {
  const values = places.map(value).filter((one) => one !== null), tick = (text, at) => ({ axis: name, text: String(text), at });
  const ticks = values.length < places.length ? [tick("not read", NOT_READ)] : [];
  if (values.every(finite)) {
    const [low, high] = [Math.min(...values), Math.max(...values)], log = low > 0 && high / low >= 20;
    const turned = (one) => log ? Math.log(one) : one;
    const at = (one) => high > low ? (turned(one) - turned(low)) / (turned(high) - turned(low)) : 0.5;
    const middle = log ? Math.sqrt(low * high) : (low + high) / 2;
    for (const one of high > low ? [low, middle, high] : [low]) ticks.push(tick(one.toLocaleString("en", { maximumSignificantDigits: 3 }).replace("-", "−"), at(one)));
    return { name, ticks, at: (i) => value(i) === null ? NOT_READ : at(value(i)) };
  }
  const known = [...new Set(values.map(String))].sort(), last = Math.max(1, known.length - 1);
  known.forEach((one, place) => { if (known.length <= 12 || place % Math.ceil(known.length / 12) === 0) ticks.push(tick(one, place / last)); });
  return { name, ticks, at: (i) => value(i) === null ? NOT_READ : known.indexOf(String(value(i))) / last };
};

// ── Cost and time ──
const costChart = (values, title, told) => () => {
  const rows = compared(state.shown).filter((i) => finite(values[i]) && values[i] > 0).map((i) => ({ ...pointOf(i), at: values[i], cost: told(values[i]) }));
  layered(rows);
  if (!rows.length) return null;
  return {
    description: `${V.primary} over ${title}.`, height: 230, data: { values: rows }, mark: dots(rows.length),
    encoding: { x: { field: "at", title, ...axisOf(rows.map((row) => row.at), 0), axis: { labelOverlap: true, tickCount: 5 } }, y: valueAxis(), ...plainVerdict(), tooltip: [{ field: "cost", title }, ...TOLD] },
  };
};

const dayFormat = (rows) => {
  const times = rows.map((row) => row.at), days = (Math.max(...times) - Math.min(...times)) / 864e5;
  return days > 4 ? "%Y-%m-%d" : days * 1440 > 20 ? "%d %b %H:%M" : "%H:%M:%S";
};
const overTime = (width) => {
  const rows = compared(state.shown).map((i) => ({ ...pointOf(i), at: Date.parse(E.when[i]), day: E.when[i].slice(0, 16).replace("T", " ") }));
  layered(rows);
  const band = REFERENCE >= 0 ? [{ low: E.low[REFERENCE], high: E.high[REFERENCE], value: E.value[REFERENCE] }] : [];
  say("over-time-text", `Each experiment's ${V.primary} when it was recorded (UTC).${band.length ? ` The line and the band show ${V.reference} and its own 95 % interval, which is wider than the interval of a difference.` : ""}`);
  if (!rows.length) return null;
  const y = { type: "quantitative", scale: { zero: false, padding: 8 }, title: `${V.primary} (${direction(V.primary)})` };
  const under = band.length ? [
    { data: { values: band }, mark: { type: "rect", color: colourOf("grey"), opacity: 0.16, tooltip: null }, encoding: { y: { ...y, field: "low" }, y2: { field: "high" } } },
    { data: { values: band }, mark: { type: "rule", color: colourOf("grey"), tooltip: null }, encoding: { y: { ...y, field: "value" } } },
  ] : [];
  return {
    description: `${V.primary} of the experiments over time.`, height: 260,
    layer: [...under, { data: { values: rows }, mark: dots(rows.length), encoding: { x: { field: "at", type: "temporal", scale: { type: "utc", padding: 12 }, title: null, axis: { labelOverlap: true, tickCount: Math.max(2, Math.floor(width / 130)), format: dayFormat(rows) } }, y: { ...y, field: "value" }, ...byVerdict(verdictsOf(rows)), tooltip: [{ field: "day", title: "recorded" }, ...TOLD] } }],
  };
};

// ── Curves of chosen experiments over one another ──
const drawn = new Set();
const PALETTE = ["#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#eeca3b", "#9d755d"];
const DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]];
const styleOf = (place) => ({ colour: PALETTE[place % PALETTE.length], dash: DASHES[Math.floor(place / PALETTE.length) % DASHES.length] });
const curveChart = (kind) => () => {
  const chosen = V.in_full.filter((i) => drawn.has(i) && kind.of[i]);
  const rows = chosen.flatMap((i) => kind.of[i][0].map((x, order) => ({ i, name: E.name[i], x, y: kind.of[i][1][order], order })));
  if (!rows.length) return null;
  const styles = chosen.map((i) => styleOf(V.in_full.indexOf(i))), domain = chosen.map((i) => E.name[i]);
  const words = (name) => name.replaceAll("_", " "), line = { field: "name", type: "nominal", legend: null };
  // Predicted numbers can be negative.
  const ends = rows.flatMap((row) => [row.x, row.y]), top = Math.max(...ends), bottom = Math.min(0, ...ends);
  const diagonal = ["roc", "calibration"].includes(kind.name) ? [{ data: { values: [{ x: bottom, y: bottom }, { x: kind.name === "roc" ? 1 : top, y: kind.name === "roc" ? 1 : top }] }, mark: { type: "line", color: colourOf("grey"), strokeDash: [2, 3], strokeWidth: 1, tooltip: null }, encoding: { x: { field: "x", type: "quantitative" }, y: { field: "y", type: "quantitative" } } }] : [];
  return {
    description: `${kind.title} of ${domain.join(", ")}.`, height: 260,
    layer: [...diagonal, { data: { values: rows }, mark: { type: "line", strokeWidth: 1.8, tooltip: true, point: kind.name === "calibration" }, encoding: { x: { field: "x", type: "quantitative", title: words(kind.x) }, y: { field: "y", type: "quantitative", title: words(kind.y), scale: { zero: kind.name !== "learning" } }, order: { field: "order" }, color: { ...line, scale: { domain, range: styles.map((one) => one.colour) } }, strokeDash: { ...line, scale: { domain, range: styles.map((one) => one.dash) } }, tooltip: [{ field: "name", title: "experiment" }, { field: "x", title: words(kind.x) }, { field: "y", title: words(kind.y) }] } }],
  };
};
