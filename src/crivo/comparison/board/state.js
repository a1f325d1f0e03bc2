"use strict";
// What the page shows: the document of `crivo compare`, its experiments as columns.
const V = JSON.parse(document.getElementById("values").textContent);
const COUNT = V.experiments.length;
const E = Object.fromEntries(Object.keys(V.experiments[0]).map((name) => [name, V.experiments.map((one) => one[name])]));
const METRICS = new Map(V.metrics.map((one) => [one.name, one]));
const REFERENCE = E.verdict.indexOf("reference");
const byValue = (one, other) => typeof one === "number" && typeof other === "number" ? one - other : String(one) < String(other) ? -1 : 1;
const SETTINGS = V.settings.map((one) => ({ ...one, values: [...new Set(one.of)].filter((value) => value !== null).sort(byValue) }));
const $ = (id) => document.getElementById(id);

// A new element with text in it: no text from anybody is ever read as HTML.
const make = (tag, text = "", attributes = {}) => {
  const element = document.createElement(tag);
  if (text !== "") element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

// ── Numbers: as the command line prints them; those of slices with the digits that suit them ──
const finite = (value) => typeof value === "number" && Number.isFinite(value);
const decimals = (width) => !finite(width) || width <= 0 ? 4 : Math.min(7, 2 - Math.floor(Math.log10(width) + 0.5));
const metricOf = (metric, i) => E.metrics[i].find((one) => one.metric === metric);
const valueText = (metric, i) => E.texts[i][metric]?.[0] ?? "";
const differenceText = (metric, i) => i === REFERENCE ? "–" : E.texts[i][metric]?.[1] ?? "";
const fixed = (value, digits) => finite(value)
  ? (digits < 0 ? Math.round(value * 10 ** digits) / 10 ** digits : value).toLocaleString("en",
    { minimumFractionDigits: Math.max(digits, 0), maximumFractionDigits: Math.max(digits, 0) }).replace("-", "−") : "–";
const sliceText = ([value, low, high]) => {
  const digits = decimals(high - low);
  return `${fixed(value, digits)} ±${fixed((high - low) / 2, digits)}`;
};
const day = (when) => (when ?? "").slice(0, 10);
const UNITS = [["min", 60, 90], ["s", 1, 1], ["ms", 1e-3, 1e-3], ["µs", 1e-6, 0]];
const unitOf = (value) => UNITS.find(([, , from]) => value >= from) ?? UNITS[3];
const duration = (value) => {
  if (!finite(value)) return "";
  const [unit, size] = unitOf(value);
  return `${Number((value / size).toPrecision(2)).toLocaleString("en")} ${unit}`;
};
const megabytes = (value) => finite(value) ? `${(value / 1e6).toFixed(2)} MB` : "";
const direction = (name) => {
  const metric = METRICS.get(name);
  if (!metric) return "";
  return metric.direction === "nearest" ? `nearest to ${metric.best} is better` : `${metric.direction} is better`;
};
const verdictOf = (i, metric = V.primary) =>
  E.verdict[i] === "reference" ? "reference" : metricOf(metric, i)?.verdict ?? "";
const setting = (one, i) => one.of[i];

const modelOf = SETTINGS.find((one) => one.key === "model");
// A name in so many letters: names often differ at their ends.
const middle = (text, most) => text.length <= most ? text : `${text.slice(0, Math.floor(most / 2) - 1)}…${text.slice(-Math.ceil(most / 2))}`;

// ── What is chosen, and who wants to know when that changes ──
const state = { search: "", model: "", verdict: "", starred: false, sort: "order", down: false, page: 0, open: new Set() };
const listeners = [];
const changed = () => { state.shown = shown(); for (const listener of listeners) listener(); };

const haystacks = [];
const haystack = (i) => haystacks[i] ??= [
  E.name[i], E.changed[i], E.message[i], E.author[i], ...(E.notes[i] ?? []),
  ...SETTINGS.map((one) => `${one.name}=${setting(one, i) ?? ""}`),
].join("\n").toLowerCase();

// The experiments that pass the filters, in the order of the table.
const shown = () => {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  for (let i = 0; i < COUNT; i++) {
    if (state.model && String(setting(modelOf, i)) !== state.model) continue;
    if (state.verdict && verdictOf(i) !== state.verdict) continue;
    if (state.starred && !E.starred[i]) continue;
    if (words.length && !words.every((word) => haystack(i).includes(word))) continue;
    found.push(i);
  }
  return sorted(found);
};
