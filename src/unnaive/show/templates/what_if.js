// The page: controls, the answer, what would change it, and the evidence.
(() => {
  const COLORS = 8; // of the palette; of more classes, the most probable have one each, and the others share the last
  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b2588c", "#a97b00", "#3a92c4", "#6b5fb5", "#6a6f74"];
  const SHOWN_CLASSES = 6;
  const SHOWN_COLUMNS = 12; // with a bar of evidence of their own
  const SHOWN_FLIPS = 6;
  const MOST_BARS = 60; // of a plot; columns of more values have none
  const MOST_ODDS = 10; // longest bar of evidence
  const SLICE = 24; // milliseconds of work before the page may draw
  const PAUSE = 400; // milliseconds before an answer is read out, so that not all on the way are
  const STEPS = 200; // of a slider over a Gaussian column
  const find = (id) => document.getElementById(id);
  const colorOf = (y) => `var(--class-${y}, var(--c${COLORS - 1}))`;
  const argmax = (scores) => scores.reduce((best, score, y) => (score > scores[best] ? y : best), 0);
  const chanceText = (p) => {
    if (p > 0.9995 && p < 1) return "> 0.999";
    return p >= 0.0005 || p === 0 ? p.toFixed(3) : p.toExponential(0);
  };
  const oddsText = (odds) => {
    const size = Math.abs(odds);
    const text = size === Infinity ? "∞" : size >= 1e4 ? size.toExponential(1) : size.toFixed(2);
    return `${odds < 0 ? "−" : "+"}${text}`;
  };
  const numberText = (value) => String(Number(value.toPrecision(6)));
  const sameRow = (a, b) => a.every((value, column) => value === b[column]);

  function element(tag, options = {}, ...children) {
    const { style, data, ...properties } = options;
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name.includes("-") || name === "role" || name === "scope") made.setAttribute(name, value);
      else made[name] = value;
    }
    for (const [name, value] of Object.entries(style ?? {})) made.style.setProperty(name, value);
    Object.assign(made.dataset, data);
    made.append(...children);
    return made;
  }

  const option = (value, text) => element("option", { value: String(value), textContent: text });

  function drawn(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function start(data) {
    const { columns, classes, rows } = data;
    const model = unnaiveModels.load(data);
    const probabilities = (row) => unnaiveModels.posterior(model.joint(row));
    const toEnd = (steps) => {
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
      }
    };
    const state = { row: columns.map(() => null), pinned: null, from: null, label: null, against: null };

    // What values are called; a value of a row from the data is told as it stands there.
    function valueText(column, value, from = null) {
      const told = from === null ? undefined : rows[from].texts[column];
      if (told !== undefined && rows[from].values[column] === value) {
        return columns[column].kind === "number" ? `${told}, ${columns[column].values[value]}` : told;
      }
      if (value === null) return "missing";
      return columns[column].kind === "gaussian" ? numberText(value) : columns[column].values[value];
    }

    // How far a change of a column goes: in bins, or in tenths of a Gaussian column's range.
    function stepsOf(column, from, to) {
      const { kind, low, high } = columns[column];
      if (from === null || kind === "category") return 1;
      return Math.abs(to - from) / (kind === "gaussian" ? (high - low) / 10 : 1);
    }

    // Single changes of the row that change its answer: of numbers the nearest on either side, of categories all. The
    // fewer steps the better, then the more probable.
    function* flips(row) {
      const before = argmax(model.joint(row));
      const found = [];
      for (let column = 0; column < columns.length; column += 1) {
        const now = row[column];
        const here = [];
        const values = candidates(column, row);
        model.variants(row, column, values).forEach((joint, place) => {
          const value = values[place];
          const chances = unnaiveModels.posterior(joint);
          const answer = argmax(chances);
          if (answer !== before) {
            here.push({ column, value, answer, chance: chances[answer], steps: stepsOf(column, now, value) });
          }
        });
        yield;
        if (columns[column].kind === "category") {
          found.push(...here);
        } else if (now === null) {
          found.push(...here.sort((a, b) => b.chance - a.chance).slice(0, 1));
        } else {
          for (const side of [-1, 1]) {
            const there = here.filter(({ value }) => Math.sign(value - now) === side);
            found.push(...there.sort((a, b) => a.steps - b.steps).slice(0, 1));
          }
        }
      }
      return found.sort((a, b) => Math.ceil(a.steps) - Math.ceil(b.steps) || b.chance - a.chance);
    }

    function candidates(column, row) {
      if (columns[column].kind !== "gaussian") return columns[column].values.map((_, value) => value);
      const { low, high } = columns[column];
      const crossings = crossingsOf(column, row);
      // Just beyond every crossing, on either side of it.
      const near = crossings.flatMap((at) => [-1, 1].map((side) => at + side * 1e-6 * (high - low)));
      return near.filter((value) => value >= low && value <= high);
    }

    // Where two classes are equally probable: their log odds are a parabola in the number.
    function crossingsOf(column, row) {
      const { low, high } = columns[column];
      const [middle, half] = [(low + high) / 2, (high - low) / 2];
      const scores = model.variants(row, column, [-1, 0, 1].map((step) => middle + step * half));
      const found = [];
      for (let one = 0; one < classes.length; one += 1) {
        for (let other = 0; other < one; other += 1) {
          const [left, centre, right] = scores.map((joint) => joint[one] - joint[other]);
          const [a, b] = [(left + right) / 2 - centre, (right - left) / 2];
          const root = Math.sqrt(b * b - 4 * a * centre);
          const q = -(b + (b < 0 ? -root : root)) / 2;
          found.push(...[q / a, centre / q].filter(Number.isFinite).map((step) => middle + step * half));
        }
      }
      return found;
    }

    // The state in the address: values by commas, empty for missing; then the row it came from, and two classes.
    const written = (row) => row.map((value) => (value === null ? "" : String(value))).join(",");
    function readRow(text) {
      const parts = text?.split(",");
      if (parts?.length !== columns.length) return null;
      return parts.map((part, column) => {
        const value = Number(part);
        if (part.trim() === "" || !Number.isFinite(value)) return null;
        if (columns[column].kind === "gaussian") return value;
        return Number.isInteger(value) && value >= 0 && value < columns[column].values.length ? value : null;
      });
    }
    function readState() {
      const given = new URLSearchParams(location.hash.slice(1));
      const index = (name, size) => {
        const value = Number(given.get(name) ?? "");
        return given.get(name) && Number.isInteger(value) && value >= 0 && value < size ? value : null;
      };
      const from = index("from", rows.length);
      const row = readRow(given.get("row"));
      state.from = row === null && rows.length ? from ?? 0 : from;
      state.row = row ?? (state.from === null ? columns.map(() => null) : [...rows[state.from].values]);
      state.pinned = readRow(given.get("pinned"));
      state.label = index("for", classes.length);
      state.against = index("against", classes.length);
    }
    function fragment() {
      const parts = [`row=${written(state.row)}`];
      if (state.from !== null) parts.push(`from=${state.from}`);
      if (state.pinned) parts.push(`pinned=${written(state.pinned)}`);
      if (state.label !== null) parts.push(`for=${state.label}`);
      if (state.against !== null) parts.push(`against=${state.against}`);
      return parts.join("&");
    }
    function writeState() {
      try { history.replaceState(null, "", `#${fragment()}`); } catch { /* in a frame without an address of its own */ }
      if (parent !== window) parent.postMessage({ whatIf: state.row }, "*"); // a notebook may listen
    }

    // Colors of classes: a class keeps its own as long as it is among the most probable.

    const colors = new Map(classes.length > COLORS ? [] : classes.map((_, y) => [y, y]));
    function giveColors(order) {
      if (classes.length > COLORS) {
        const first = order.slice(0, COLORS - 1);
        for (const y of [...colors.keys()]) if (!first.includes(y)) colors.delete(y);
        const free = [...Array(COLORS - 1).keys()].filter((color) => ![...colors.values()].includes(color));
        for (const y of first) if (!colors.has(y)) colors.set(y, free.shift());
      }
      const shown = [...colors].sort(([, a], [, b]) => a - b);
      find("what-if").style = shown.map(([y, color]) => `--class-${y}: var(--c${color})`).join("; ");
      const entry = (name, color) => element("li", {}, element("i", { style: { "--color": color } }), name);
      find("legend").replaceChildren(...shown.map(([y]) => entry(classes[y], colorOf(y))));
      if (shown.length < classes.length) find("legend").append(entry("other classes", `var(--c${COLORS - 1})`));
    }

    // Controls

    const canvas = (width, ...parts) => (
      drawn("svg", { viewBox: `0 0 ${width} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...parts)
    );
    const onClick = (svg, act) => svg.addEventListener("click", ({ clientX }) => {
      const { left, width } = svg.getBoundingClientRect();
      act(Math.min(Math.max((clientX - left) / width, 0), 1));
    });

    function plotOf(column, choose) {
      const { kind, values, counts } = columns[column];
      if (kind === "gaussian") return densityOf(column, choose);
      if (values.length > MOST_BARS) return null;
      const count = (value, y) => counts[value * classes.length + y];
      const totals = values.map((_, value) => classes.reduce((sum, __, y) => sum + count(value, y), 0));
      const most = Math.max(...totals, 1e-300);
      const gap = Math.min(0.12, 0.012 * values.length);
      const bars = values.map((_, value) => {
        let top = 1;
        const parts = classes.flatMap((__, y) => {
          const height = count(value, y) / most;
          if (!height) return [];
          top -= height;
          return drawn("rect", { x: value + gap / 2, width: 1 - gap, y: top, height, style: `fill: ${colorOf(y)}` });
        });
        return drawn("g", {}, ...parts);
      });
      const svg = canvas(values.length, ...bars);
      onClick(svg, (share) => choose(Math.min(Math.floor(share * values.length), values.length - 1)));
      return { svg, show: (value) => bars.forEach((bar, place) => bar.classList.toggle("chosen", place === value)) };
    }

    // The densities of the classes, and a line where the number is.
    function densityOf(column, choose) {
      const { low, high } = columns[column];
      const place = columns.slice(0, column).filter(({ kind }) => kind === "gaussian").length;
      const points = Array.from({ length: 81 }, (_, k) => low + (k / 80) * (high - low));
      const { mean, variance, log_prior: prior } = data.model;
      const curves = classes.map((_, y) => points.map((x) => {
        const at = place * classes.length + y;
        return Math.exp(prior[y] - (x - mean[at]) ** 2 / (2 * variance[at])) / Math.sqrt(variance[at]);
      }));
      const most = Math.max(...curves.flat(), 1e-300);
      const lines = curves.map((curve, y) => {
        const d = curve.map((height, k) => `${k ? "L" : "M"}${k / 80} ${1 - height / most}`).join("");
        return drawn("path", { d, style: `stroke: ${colorOf(y)}` });
      });
      const mark = drawn("path", { style: "stroke: var(--ink)" });
      const svg = canvas(1, drawn("g", {}, ...lines), mark);
      onClick(svg, (share) => choose(Number((low + share * (high - low)).toPrecision(4))));
      const show = (value) => {
        svg.firstChild.classList.toggle("chosen", value !== null);
        const at = value === null ? null : Math.min(Math.max((value - low) / (high - low), 0), 1);
        mark.setAttribute("d", at === null ? "" : `M${at} 0V1`);
      };
      return { svg, show };
    }

    // Controls show a value when they are told to, and tell `choose` of another one.

    function menuOf(column, id, choose) {
      const select = element("select", { id });
      select.append(...columns[column].values.map((text, value) => option(value, text)), option("", "missing"));
      select.addEventListener("change", () => choose(select.value === "" ? null : Number(select.value)));
      const unseen = element("div", { className: "now" });
      const show = (value) => {
        select.value = value === null ? "" : String(value);
        const text = valueText(column, value, state.from);
        unseen.textContent = text;
        unseen.hidden = value !== null || text === "missing";
      };
      return { parts: [select, unseen], show };
    }

    function sliderOf(column, id, choose) {
      const { name, kind, values, low, high } = columns[column];
      const isGaussian = kind === "gaussian";
      const rounded = (number) => Number(number.toPrecision(4));
      const max = isGaussian ? STEPS : values.length - 1;
      const slider = element("input", { type: "range", id, min: 0, max, step: 1 });
      let last = isGaussian ? rounded((low + high) / 2) : values.length >> 1; // where the slider is while it is missing
      slider.addEventListener("input", () => {
        choose(isGaussian ? rounded(low + (slider.value / STEPS) * (high - low)) : Number(slider.value));
      });
      // The thumb stands below the middle of its bar.
      if (!isGaussian) slider.style.setProperty("--inset", `calc(50% / ${values.length} - 8px)`);
      const toggle = element("button", {
        type: "button", className: "toggle", textContent: "missing", "aria-label": `${name}: missing`,
      });
      toggle.addEventListener("click", () => choose(state.row[column] === null ? last : null));
      const exact = { type: "number", step: "any", "aria-label": `${name}, exactly` };
      const told = isGaussian ? element("input", exact) : element("span");
      told.addEventListener("change", () => choose(Number.isFinite(told.valueAsNumber) ? told.valueAsNumber : null));
      const show = (value) => {
        last = value ?? last;
        slider.value = isGaussian ? Math.round(((last - low) / (high - low)) * STEPS) : last;
        const text = valueText(column, value, state.from);
        if (isGaussian) told.value = value ?? "";
        else told.textContent = text;
        slider.setAttribute("aria-valuetext", text);
        toggle.setAttribute("aria-pressed", String(value === null));
      };
      return { parts: [slider, element("div", { className: "now" }, told)], beside: toggle, show };
    }

    function controlOf(column) {
      const { name, kind } = columns[column];
      const choose = (value) => {
        state.row[column] = value;
        update();
      };
      const id = `column-${column}`;
      const plot = plotOf(column, choose);
      const control = (kind === "category" ? menuOf : sliderOf)(column, id, choose);
      // A long name is best broken after its marks.
      const pieces = name.split(/(?<=[_/.:-])/).flatMap((piece) => [piece, element("wbr")]);
      const label = element("label", { htmlFor: id, title: name }, ...pieces);
      const was = element("p", { className: "was" });
      const frame = element("div", { className: "column" },
        element("div", { className: "title" }, label, control.beside ?? ""),
        ...(plot ? [element("div", { className: "plot" }, plot.svg)] : []), ...control.parts, was);
      find("columns").append(frame);
      return () => {
        const value = state.row[column];
        control.show(value);
        plot?.show(value);
        const isChanged = state.pinned !== null && state.pinned[column] !== value;
        frame.classList.toggle("changed", isChanged);
        frame.classList.toggle("missing", value === null);
        was.textContent = isChanged ? `pinned: ${valueText(column, state.pinned[column])}` : "";
      };
    }

    // The answer

    let speech = 0;
    function showAnswer() {
      const chances = probabilities(state.row);
      const pinned = state.pinned && probabilities(state.pinned);
      const order = chances.map((_, y) => y).sort((a, b) => chances[b] - chances[a] || a - b);
      const answer = argmax(chances);
      find("answer").textContent = classes[answer];
      find("chance").textContent = chanceText(chances[answer]);
      const label = state.from === null ? null : rows[state.from].label;
      const edited = state.from !== null && !sameRow(state.row, rows[state.from].values);
      find("truth").textContent = state.from === null ? ""
        : `Row ${state.from + data.first}${edited ? ", changed" : ""}${label === null ? "" : ` · labelled ${label}`}`;
      clearTimeout(speech);
      speech = setTimeout(() => {
        find("spoken").textContent = `The answer is ${classes[answer]}, probability ${chanceText(chances[answer])}.`;
      }, PAUSE);
      const shown = order.length > SHOWN_CLASSES ? order.slice(0, SHOWN_CLASSES - 1) : order;
      const lines = shown.map((y) => [classes[y], chances[y], pinned?.[y] ?? null, colorOf(y)]);
      if (shown.length < order.length) {
        const rest = order.slice(shown.length);
        const sum = (of) => rest.reduce((total, y) => total + of[y], 0);
        lines.push([`${rest.length} other classes`, sum(chances), pinned && sum(pinned), "var(--level)"]);
      }
      find("chances").replaceChildren(...lines.map(([name, chance, before, color]) => {
        const amount = element("span", { className: "amount" }, chanceText(chance));
        const style = { "--share": `${100 * chance}%`, "--color": color };
        const track = element("span", { className: "track", "aria-hidden": "true", style }, element("i"));
        if (before !== null) {
          amount.prepend(element("small", { textContent: `${chanceText(before)} → ` }));
          track.append(element("b", { style: { "--pinned": `${100 * before}%` } }));
        }
        return element("li", {}, element("span", { textContent: name }), amount, track);
      }));
      return order;
    }

    // The two classes that the evidence is for and against
    function sidesOf(order) {
      const label = state.label ?? order.find((y) => y !== state.against);
      return [label, state.against !== null && state.against !== label ? state.against : nextTo(label, order)];
    }
    const nextTo = (label, order) => order.find((y) => y !== label);

    function oddsOf(parts, [label, against]) {
      return parts.map((part) => (part[label] === part[against] ? 0 : part[label] - part[against]));
    }

    // The lines of the evidence: the prior, the weightiest columns, the others together, and the sum.
    function linesOf(now, before) {
      const order = columns.map((_, column) => column + 1).sort((a, b) => Math.abs(now[b]) - Math.abs(now[a]) || a - b);
      const few = order.length > SHOWN_COLUMNS + 1 ? order.slice(0, SHOWN_COLUMNS) : order;
      const line = (name, places, value = "") => {
        const [odds, pinned] = [now, before].map((of) => of && places.reduce((sum, place) => sum + of[place], 0));
        return { name, value, odds, ...(before && { before: pinned }) };
      };
      const lines = [line("prior", [0]), ...few.map((place) => (
        line(columns[place - 1].name, [place], valueText(place - 1, state.row[place - 1], state.from))
      ))];
      const rest = order.slice(few.length);
      if (rest.length) lines.push(line(`${rest.length} other columns`, rest));
      return [...lines, { ...line("total", [0, ...order]), isTotal: true }];
    }

    // From log odds to places between 0 and 1; longer bars are cut.
    function scaleOf(lines) {
      const cut = (odds) => Math.max(-MOST_ODDS, Math.min(MOST_ODDS, odds));
      const all = lines.flatMap(({ odds, before }) => [cut(odds), cut(before ?? 0)]);
      const [low, high] = [Math.min(-0.25, ...all), Math.max(0.25, ...all)];
      return (odds) => (cut(odds) - low) / (high - low);
    }
    let evidenceNow = null;

    function showEvidence(lines, [label, against]) {
      const place = scaleOf(lines);
      const percent = (odds) => `${100 * place(odds)}%`;
      evidenceNow = { lines, label, against };
      find("evidence").replaceChildren(...lines.map(({ name, value, odds, before, isTotal }) => {
        const beam = element("span", {
          className: "beam", "aria-hidden": "true",
          style: {
            "--zero": percent(0), "--from": percent(Math.min(odds, 0)), "--to": percent(Math.max(odds, 0)),
            "--color": colorOf(odds < 0 ? against : label),
          },
        }, element("i"));
        if (before !== undefined) beam.append(element("b", { style: { "--pinned": percent(before) } }));
        const text = element("span", {}, name, " ", element("small", { textContent: value }));
        const number = element("span", { textContent: oddsText(odds) });
        return element("li", { className: isTotal ? "total" : "" }, text, number, beam);
      }));
    }

    function changeText(column, value) {
      if (columns[column].kind !== "gaussian" || state.row[column] === null) return valueText(column, value);
      return `${value < state.row[column] ? "below" : "above"} ${numberText(value)}`;
    }

    function showFlips(found) {
      // Of several values of a category that give the same answer, the most probable stands for all.
      const groups = Map.groupBy(found, ({ column, value, answer }) => (
        `${column} ${columns[column].kind === "category" ? answer : value}`
      ));
      const shown = [...groups.values()].slice(0, SHOWN_FLIPS);
      find("flips").replaceChildren(...shown.map(([{ column, value, answer, chance }, ...others]) => {
        const or = others.length ? `, or ${others.length} other value${others.length > 1 ? "s" : ""}` : "";
        const how = element("small", { textContent: `→ ${changeText(column, value)}${or}` });
        const change = element("span", {}, columns[column].name, " ", how);
        const to = element("span", { className: "to", style: { "--color": colorOf(answer) } },
          element("i"), classes[answer], " ", element("small", { textContent: chanceText(chance) }));
        const button = element("button", { type: "button" }, change, to);
        button.addEventListener("click", () => {
          state.row[column] = value;
          update();
          find(`column-${column}`).focus();
        });
        return element("li", {}, button);
      }));
      const more = groups.size - shown.length;
      const rest = more > 0 ? `; ${more} more are larger` : "";
      find("flips-note").textContent = found.length === 0 ? "No change of a single column changes the answer."
        : `The smallest changes of a single column, all values tried${rest}. Choose one to make it.`;
    }

    // Work that may take longer than a frame: other changes of the row end it.
    let run = 0;
    function slowly(steps, busy, done) {
      const mine = run;
      const slice = () => {
        const end = performance.now() + SLICE;
        while (mine === run) {
          const step = steps.next();
          if (step.done) {
            busy.removeAttribute("aria-busy");
            done(step.value);
            return;
          }
          if (performance.now() > end) {
            busy.setAttribute("aria-busy", "true");
            setTimeout(slice);
            return;
          }
        }
      };
      slice();
    }

    const [evidenceCard, flipsCard] = [document.querySelector(".evidence"), document.querySelector(".flips")];

    function* bothEvidences() {
      const now = yield* model.evidence(state.row);
      return [now, state.pinned && (yield* model.evidence(state.pinned))];
    }

    function update() {
      run += 1;
      for (const show of controls) show();
      const order = showAnswer();
      giveColors(order);
      find("pin").hidden = state.pinned !== null && sameRow(state.row, state.pinned);
      find("back").hidden = find("unpin").hidden = state.pinned === null;
      if (find("start")) find("start").value = state.from === null ? "" : String(state.from);
      find("for").value = state.label ?? "";
      find("against").value = state.against ?? "";
      writeState();
      if (classes.length > 1) {
        const sides = sidesOf(order);
        find("for").options[0].textContent = `${classes[state.label === null ? sides[0] : order[0]]} · answer`;
        find("against").options[0].textContent = `${classes[nextTo(sides[0], order)]} · next`;
        slowly(bothEvidences(), evidenceCard, ([now, before]) => (
          showEvidence(linesOf(oddsOf(now, sides), before && oddsOf(before, sides)), sides)
        ));
      }
      slowly(flips(state.row), flipsCard, showFlips);
    }

    // The evidence as a picture of its own, in the light colors
    function evidenceSvg() {
      const { lines, label, against } = evidenceNow;
      const scale = scaleOf(lines);
      const at = (odds) => left + width * scale(odds);
      const [ink, faint] = ["#1c2126", "#59626b"];
      const [left, width, high, top] = [330, 380, 24, 62];
      const text = (content, x, y, look = {}) => {
        const made = drawn("text", { x, y, "font-size": 13, fill: ink, ...look });
        made.textContent = content;
        return made;
      };
      const short = (content, most) => (content.length > most ? `${content.slice(0, most - 1)}…` : content);
      const [one, other] = [label, against].map((y) => short(classes[y], 30));
      const parts = [
        text(`${one} against ${other}`, 12, 26, { "font-size": 16, "font-weight": 600 }),
        text(`log odds: ← for ${other} | for ${one} →`, 12, 46, { fill: faint }),
        drawn("path", { d: `M${at(0)} ${top - 8}V${top + high * lines.length}`, stroke: faint, "stroke-width": 1 }),
      ];
      lines.forEach((line, place) => {
        const y = top + place * high;
        const [from, to] = [Math.min(line.odds, 0), Math.max(line.odds, 0)].map(at);
        const look = { "text-anchor": "end", "font-weight": line.isTotal ? 600 : 400 };
        const name = line.value ? `${line.name} = ${line.value}` : line.name;
        const color = LIGHT[colors.get(line.odds < 0 ? against : label) ?? COLORS - 1];
        parts.push(text(short(name, 46), left - 12, y + 13, look));
        parts.push(drawn("rect", { x: from, y, width: to - from, height: 16, rx: 2, fill: color }));
        parts.push(text(oddsText(line.odds), left + width + 70, y + 13, look));
      });
      const total = [left + width + 84, top + high * lines.length + 12];
      return drawn("svg", {
        xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${total.join(" ")}`, width: total[0], height: total[1],
        "font-family": "system-ui, sans-serif",
      }, drawn("rect", { width: total[0], height: total[1], fill: "#ffffff" }), ...parts);
    }
    const evidenceText = () => new XMLSerializer().serializeToString(evidenceSvg());

    // Put it together

    const controls = columns.map((_, column) => controlOf(column));
    for (const id of ["for", "against"]) find(id).append(option("", ""), ...classes.map((name, y) => option(y, name)));
    find("for").addEventListener("change", (event) => {
      state.label = event.target.value === "" ? null : Number(event.target.value);
      if (state.against === state.label) state.against = null;
      update();
    });
    find("against").addEventListener("change", (event) => {
      state.against = event.target.value === "" ? null : Number(event.target.value);
      if (state.against === state.label) state.label = null;
      update();
    });
    evidenceCard.hidden = classes.length < 2;
    const begin = (row, from) => {
      state.row = [...row];
      state.from = from;
      update();
    };
    if (find("start")) {
      const name = (place) => `row ${place + data.first}${rows[place].label === null ? "" : `, ${rows[place].label}`}`;
      find("start").append(option("", "nothing"), ...rows.map((_, place) => option(place, name(place))));
      find("start").addEventListener("change", ({ target: { value } }) => (
        value === "" ? begin(columns.map(() => null), null) : begin(rows[Number(value)].values, Number(value))
      ));
    }
    find("clear").addEventListener("click", () => begin(columns.map(() => null), null));
    find("pin").addEventListener("click", () => {
      state.pinned = [...state.row];
      update();
      find("back").focus();
    });
    find("back").addEventListener("click", () => {
      state.row = [...state.pinned];
      update();
    });
    find("unpin").addEventListener("click", () => {
      state.pinned = null;
      update();
      find("pin").focus();
    });
    find("save").addEventListener("click", () => {
      const address = URL.createObjectURL(new Blob([evidenceText()], { type: "image/svg+xml" }));
      element("a", { href: address, download: "evidence.svg" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    });
    addEventListener("hashchange", () => {
      readState();
      update();
    });
    readState();
    find("what-if").hidden = false;
    update();
    window.whatIf = {
      probabilities,
      evidence: (row) => toEnd(model.evidence(row)).map((part) => Array.from(part)),
      flips: (row) => toEnd(flips(row)),
      rows: rows.map(({ values }) => values),
      evidenceSvg: evidenceText,
      state,
    };
  }

  document.addEventListener("DOMContentLoaded", () => start(unnaiveModels.unpack(find("data").textContent)));
})();
