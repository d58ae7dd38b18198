// A model's answers from its tables, as unnaive.show.what_if.tables writes them. A row holds one code per column, or a
// number in Gaussian columns, and null for missing. Models give `joint(row)`, the joint log scores of the classes, and
// `evidence(row)`, a generator that pauses now and then and returns the scores' parts: of the prior, then of every column.
const unnaiveModels = (() => {
  const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
  const SMALLEST = 1e-200; // products below this are moved into their logarithms

  function unpack(text) {
    return JSON.parse(text, (_, value) => {
      if (typeof value?.data !== "string" || !(value.type in TYPES)) return value;
      const raw = atob(value.data);
      const bytes = new Uint8Array(raw.length);
      for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
      return new TYPES[value.type](bytes.buffer);
    });
  }

  function posterior(joint) {
    const largest = Math.max(...joint);
    if (largest === -Infinity) return Array.from(joint, () => 1 / joint.length);
    const weights = Array.from(joint, (score) => Math.exp(score - largest));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  }

  function sumOf(parts) {
    const total = Float64Array.from(parts[0]);
    for (const part of parts.slice(1)) part.forEach((score, y) => { total[y] += score; });
    return total;
  }

  // log P(y) + sum of log P(x_i | y, parents): naive Bayes and networks
  function product(tables, columns, nClasses) {
    const coded = columns.flatMap((column, place) => (column.kind === "gaussian" ? [] : [place]));
    const gaussian = columns.flatMap((column, place) => (column.kind === "gaussian" ? [place] : []));
    const prior = Float64Array.from(tables.log_prior);

    function parts(row) {
      const found = [prior, ...columns.map(() => new Float64Array(nClasses))];
      coded.forEach((place, node) => {
        if (row[place] === null) return;
        let at = tables.starts[node] + row[place];
        for (const [parent, step] of tables.links[node]) at += ((row[coded[parent]] ?? -1) + 1) * step;
        for (let y = 0; y < nClasses; y += 1) found[place + 1][y] = tables.logs[at * nClasses + y];
      });
      gaussian.forEach((place, k) => {
        if (row[place] === null) return;
        for (let y = 0; y < nClasses; y += 1) {
          const variance = tables.variance[k * nClasses + y];
          const off = row[place] - tables.mean[k * nClasses + y];
          found[place + 1][y] = -0.5 * Math.log(2 * Math.PI * variance) - off * off * (0.5 / variance);
        }
      });
      for (let y = 0; y < nClasses; y += 1) {
        if (prior[y] === -Infinity) found.slice(1).forEach((part) => { part[y] = 0; }); // the prior alone rules it out
      }
      return found;
    }
    // eslint-disable-next-line require-yield
    return { joint: (row) => sumOf(parts(row)), *evidence(row) { return parts(row); } };
  }

  // Where the counts of a value stand: every column adds one number per order of the table.
  function offsetsIn(tables, row) {
    return tables.starts.slice(1).map((starts, below) => starts.map((start, column) => (
      row[column] === null ? -1 : start + (row[column] + tables.has_missing[column]) * tables.starts[below][column]
    )));
  }

  // P(y) times the product of sum_j W_ij P(x_i | x_j, y): hidden naive Bayes
  function hidden(tables, columns, nClasses) {
    const n = columns.length;
    const [singles, pairs] = tables.tables;
    const prior = Float64Array.from(tables.log_prior);

    function parts(row) {
      const [first, second] = offsetsIn(tables, row);
      const [starts, next] = [tables.starts[1], tables.starts[2]];
      const pairAt = (i, j) => (i > j ? second[i] + first[j] : second[j] + first[i]);
      // The pair of a value of column j with a missing value of column i
      const missingAt = (i, j) => (i > j ? next[i] + first[j] : second[j] + starts[i]);
      const found = [prior];
      for (let i = 0; i < n; i += 1) {
        const part = new Float64Array(nClasses);
        found.push(part);
        if (row[i] === null) continue;
        let weight = 0;
        for (let j = 0; j < n; j += 1) {
          const dependence = tables.dependence[i * n + j];
          if (j === i || row[j] === null || dependence === 0) continue;
          weight += dependence;
          for (let y = 0; y < nClasses; y += 1) {
            const missing = tables.has_missing[i] ? pairs[missingAt(i, j) * nClasses + y] : 0;
            const both = pairs[pairAt(i, j) * nClasses + y] + tables.extra[i];
            part[y] += (dependence * both) / (singles[first[j] * nClasses + y] - missing + tables.added[i]);
          }
        }
        for (let y = 0; y < nClasses; y += 1) {
          part[y] = Math.log(weight > 0 ? part[y] / weight : tables.naive[first[i] * nClasses + y]);
        }
      }
      return found;
    }
    // eslint-disable-next-line require-yield
    return { joint: (row) => sumOf(parts(row)), *evidence(row) { return parts(row); } };
  }

  // Sum over sets of n parents of u P(y, x_s) times the product of P(x_l | y, x_s): AODE and its relatives
  function average(tables, columns, nClasses) {
    const n = columns.length;
    const ofMissing = tables.starts.slice(1); // the offsets of missing values

    function naive(row, shown) {
      const scores = Float64Array.from(tables.log_prior);
      for (const column of shown) {
        const at = tables.starts[1][column] + row[column] + tables.has_missing[column];
        for (let y = 0; y < nClasses; y += 1) scores[y] += tables.naive[at * nClasses + y];
      }
      return scores;
    }

    // The sets of `size` columns of a list, each with the column `last`, in descending order
    function setsWith(last, list, size) {
      if (size === 0) return [[last]];
      return list.flatMap((column, place) => setsWith(last, list.slice(0, place), size - 1).map((set) => (
        [...set, column].sort((a, b) => b - a)
      )));
    }

    // The products of all parent sets of the columns shown so far; one more column costs one factor of each.
    class Shown {
      constructor(row, offsets, level) {
        Object.assign(this, { row, offsets, level, columns: [], sets: [], nFrequent: 0, moved: false });
        this.counts = tables.tables[tables.levels[level].n];
        this.own = tables.tables[tables.levels[level].n - 1];
      }

      // Where a set's counts with a child stand, whose own offsets are given: the columns of a combination are in order.
      place(set, child, offsets) {
        let [at, depth, placed] = [0, set.length, false];
        for (const parent of set) {
          if (!placed && child > parent) {
            at += offsets[depth][child];
            depth -= 1;
            placed = true;
          }
          at += this.offsets[depth][parent];
          depth -= 1;
        }
        return placed ? at : at + offsets[0][child];
      }

      multiply(entry, child) {
        const { product: factors, logs, own } = entry;
        const at = this.place(entry.set, child, this.offsets) * nClasses;
        const missing = tables.has_missing[child] ? this.place(entry.set, child, ofMissing) * nClasses : -1;
        const [extra, added] = [tables.extra[child], tables.added[child]];
        for (let y = 0; y < nClasses; y += 1) {
          const total = own[y] - (missing < 0 ? 0 : this.counts[missing + y]) + added;
          factors[y] *= (this.counts[at + y] + extra) / total;
          if (factors[y] < SMALLEST) {
            logs[y] += Math.log(factors[y]);
            factors[y] = 1;
            this.moved = true;
          }
        }
      }

      add(column) {
        const level = tables.levels[this.level];
        for (const entry of this.sets) this.multiply(entry, column);
        for (const set of setsWith(column, this.columns, level.n - 1)) {
          const at = set.reduce((sum, parent, place) => sum + this.offsets[level.n - 1 - place][parent], 0) * nClasses;
          const own = this.own.subarray(at, at + nClasses);
          if (own.reduce((sum, count) => sum + count, 0) < tables.frequency_limit) continue;
          this.nFrequent += 1;
          const about = set.reduce((place, parent) => place * n + parent, 0);
          const weight = level.weight[about];
          if (!(weight > 0)) continue;
          const prior = Float64Array.from(own, (count) => (
            (weight * (count + level.prior_extra[about])) / level.prior_total[about]
          ));
          const entry = { set, own, product: prior, logs: new Float64Array(nClasses) };
          for (const child of this.columns) if (!set.includes(child)) this.multiply(entry, child);
          this.sets.push(entry);
        }
        this.columns.push(column);
      }

      scores() {
        if (this.sets.length === 0) {
          const now = tables.levels[this.level].n;
          // Without frequent sets one parent less; without any weight the same sets unweighted.
          const next = this.nFrequent ? this.level + 1 : tables.levels.findIndex((level) => level.n < now);
          return next < 0 ? naive(this.row, this.columns) : scoresOf(this.row, this.offsets, next, this.columns);
        }
        const scores = new Float64Array(nClasses);
        if (!this.moved) {
          for (const { product: factors } of this.sets) for (let y = 0; y < nClasses; y += 1) scores[y] += factors[y];
          return scores.map(Math.log);
        }
        const logs = this.sets.map((entry) => entry.logs.map((log, y) => log + Math.log(entry.product[y])));
        return scores.map((_, y) => {
          const largest = logs.reduce((most, log) => Math.max(most, log[y]), -Infinity);
          return largest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log[y] - largest), 0));
        });
      }
    }

    function scoresOf(row, offsets, level, shown) {
      const found = new Shown(row, offsets, level);
      for (const column of shown) found.add(column);
      return found.scores();
    }

    const observed = (row) => columns.flatMap((_, column) => (row[column] === null ? [] : [column]));

    // Shapley values: the mean gain of showing a column after those before it, over the orders that Python takes.
    function* evidence(row) {
      const offsets = offsetsIn(tables, row);
      const nothing = naive(row, []);
      const found = [nothing, ...columns.map(() => new Float64Array(nClasses))];
      const nOrders = tables.orders.length / n;
      for (let order = 0; order < nOrders; order += 1) {
        const shown = new Shown(row, offsets, 0);
        let before = nothing;
        for (const column of tables.orders.subarray(order * n, (order + 1) * n)) {
          if (row[column] === null) continue;
          shown.add(column);
          const after = shown.scores();
          for (let y = 0; y < nClasses; y += 1) found[column + 1][y] += (after[y] - before[y]) / nOrders;
          before = after;
        }
        yield;
      }
      return found;
    }
    return { joint: (row) => scoresOf(row, offsetsIn(tables, row), 0, observed(row)), evidence };
  }

  const KINDS = { product, hidden, average };
  return { unpack, posterior, load: ({ model, columns, classes }) => KINDS[model.kind](model, columns, classes.length) };
})();
