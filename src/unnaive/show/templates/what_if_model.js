// A model's answers from its tables, as unnaive.show.what_if.tables writes them. A row holds one code per column, or a
// number in Gaussian columns, and null for missing. Models give `joint(row)`, the joint log scores of the classes;
// `variants(row, column, values)`, those with other values of a column; and `evidence(row)`, a generator that pauses
// now and then and returns the parts of the scores: of the prior, then of every column.
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

  function changed(row, column, value) {
    const other = [...row];
    other[column] = value;
    return other;
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
    const joint = (row) => sumOf(parts(row));
    return {
      joint,
      variants: (row, column, values) => values.map((value) => joint(changed(row, column, value))),
      *evidence(row) { return parts(row); },
    };
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
    const [, starts, pairStarts] = tables.starts;
    const prior = Float64Array.from(tables.log_prior);

    // The mixture of every column's hidden parent: its sum, and the sum of its weights
    class Mixtures {
      constructor(row, sums = new Float64Array(n * nClasses), weights = new Float64Array(n)) {
        Object.assign(this, { row, sums, weights });
        [this.first, this.second] = offsetsIn(tables, row);
      }

      // Let column j be a part of the hidden parent of column i.
      add(i, j) {
        const { row, first, second } = this;
        const dependence = tables.dependence[i * n + j];
        if (i === j || row[i] === null || row[j] === null || dependence === 0) return;
        this.weights[i] += dependence;
        const both = (i > j ? second[i] + first[j] : second[j] + first[i]) * nClasses;
        const missing = (i > j ? pairStarts[i] + first[j] : second[j] + starts[i]) * nClasses; // column i is, j is not
        for (let y = 0; y < nClasses; y += 1) {
          const total = singles[first[j] * nClasses + y] - (tables.has_missing[i] ? pairs[missing + y] : 0);
          this.sums[i * nClasses + y] += (dependence * (pairs[both + y] + tables.extra[i])) / (total + tables.added[i]);
        }
      }

      parts() {
        return [prior, ...columns.map((_, i) => Float64Array.from(prior, (__, y) => {
          if (this.row[i] === null) return 0;
          if (this.weights[i] === 0) return Math.log(tables.naive[this.first[i] * nClasses + y]);
          return Math.log(this.sums[i * nClasses + y] / this.weights[i]);
        }))];
      }
    }

    function mixtures(row) {
      const mixed = new Mixtures(row);
      for (let i = 0; i < n; i += 1) for (let j = 0; j < n; j += 1) mixed.add(i, j);
      return mixed;
    }

    function variants(row, column, values) {
      const others = mixtures(changed(row, column, null));
      return values.map((value) => {
        const mixed = new Mixtures(changed(row, column, value), others.sums.slice(), others.weights.slice());
        for (let other = 0; other < n; other += 1) {
          mixed.add(other, column);
          mixed.add(column, other);
        }
        return sumOf(mixed.parts());
      });
    }
    return { joint: (row) => sumOf(mixtures(row).parts()), variants, *evidence(row) { return mixtures(row).parts(); } };
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

    const nSets = (size, parents) => (parents === 0 ? 1 : (nSets(size - 1, parents - 1) * size) / parents);

    // The sets of `size` columns of a list, each with the column `last`, in descending order
    function setsWith(last, list, size) {
      if (size === 0) return [[last]];
      return list.flatMap((column, place) => setsWith(last, list.slice(0, place), size - 1).map((set) => (
        [...set, column].sort((a, b) => b - a)
      )));
    }

    // The products of all parent sets of the columns shown so far; one more column costs one factor of each.
    class Shown {
      constructor(row, level) {
        Object.assign(this, { row, level, columns: [], sets: [], ownAt: [], nFrequent: 0, moved: false });
        this.offsets = offsetsIn(tables, row);
        const { n: size } = tables.levels[level];
        [this.own, this.counts] = tables.tables.slice(size - 1);
        this.products = new Float64Array(nSets(n, size) * nClasses);
        this.logs = this.products; // of the parts of products that were moved, once there are any
      }

      // Where a set's counts with a child stand, whose own offsets are given: columns of a combination are in order.
      place(set, child, offsets) {
        let at = 0;
        let depth = set.length;
        let placed = false;
        for (let k = 0; k < set.length; k += 1) {
          if (!placed && child > set[k]) {
            at += offsets[depth][child];
            depth -= 1;
            placed = true;
          }
          at += this.offsets[depth][set[k]];
          depth -= 1;
        }
        return placed ? at : at + offsets[0][child];
      }

      // Multiply the product of a set by the probability of a child.
      multiply(place, child) {
        const { own, counts, products } = this;
        const at = this.place(this.sets[place], child, this.offsets) * nClasses;
        const missing = tables.has_missing[child] ? this.place(this.sets[place], child, ofMissing) * nClasses : -1;
        const extra = tables.extra[child];
        const added = tables.added[child];
        const ownAt = this.ownAt[place];
        const start = place * nClasses;
        for (let y = 0; y < nClasses; y += 1) {
          const total = own[ownAt + y] - (missing < 0 ? 0 : counts[missing + y]) + added;
          products[start + y] *= (counts[at + y] + extra) / total;
          if (products[start + y] < SMALLEST) this.move(start + y);
        }
      }

      move(at) {
        if (!this.moved) this.logs = new Float64Array(this.products.length);
        this.moved = true;
        this.logs[at] += Math.log(this.products[at]);
        this.products[at] = 1;
      }

      add(column) {
        const level = tables.levels[this.level];
        for (let place = 0; place < this.sets.length; place += 1) this.multiply(place, column);
        for (const set of setsWith(column, this.columns, level.n - 1)) {
          let ownAt = 0;
          let about = 0;
          for (let k = 0; k < set.length; k += 1) {
            ownAt += this.offsets[level.n - 1 - k][set[k]] * nClasses;
            about = about * n + set[k];
          }
          let frequency = 0;
          for (let y = 0; y < nClasses; y += 1) frequency += this.own[ownAt + y];
          if (frequency < tables.frequency_limit) continue;
          this.nFrequent += 1;
          if (!(level.weight[about] > 0)) continue;
          const place = this.sets.push(set) - 1;
          this.ownAt.push(ownAt);
          for (let y = 0; y < nClasses; y += 1) {
            const prior = (this.own[ownAt + y] + level.prior_extra[about]) / level.prior_total[about];
            this.products[place * nClasses + y] = level.weight[about] * prior;
          }
          for (const child of this.columns) if (!set.includes(child)) this.multiply(place, child);
        }
        this.columns.push(column);
      }

      // The same with a value of one more column
      with(column, value) {
        const twin = Object.assign(Object.create(Shown.prototype), this);
        for (const name of ["columns", "sets", "ownAt", "products", "logs"]) twin[name] = this[name].slice();
        twin.row = changed(this.row, column, value);
        twin.offsets = offsetsIn(tables, twin.row);
        twin.add(column);
        return twin;
      }

      scores() {
        const { products, logs, sets } = this;
        if (sets.length === 0) {
          const now = tables.levels[this.level].n;
          // Without frequent sets one parent less; without any weight the same sets unweighted.
          const next = this.nFrequent ? this.level + 1 : tables.levels.findIndex((level) => level.n < now);
          return next < 0 ? naive(this.row, this.columns) : showing(this.row, next, this.columns).scores();
        }
        const scores = new Float64Array(nClasses);
        const end = sets.length * nClasses;
        for (let y = 0; y < nClasses; y += 1) {
          let largest = this.moved ? -Infinity : 0;
          let sum = 0;
          for (let at = y; this.moved && at < end; at += nClasses) largest = Math.max(largest, logs[at]);
          for (let at = y; at < end; at += nClasses) {
            sum += this.moved ? products[at] * Math.exp(logs[at] - largest) : products[at];
          }
          scores[y] = largest + Math.log(sum);
        }
        return scores;
      }
    }

    function showing(row, level, those) {
      const shown = new Shown(row, level);
      for (const column of those) shown.add(column);
      return shown;
    }

    const whole = (row) => showing(row, 0, columns.flatMap((_, column) => (row[column] === null ? [] : [column])));

    function variants(row, column, values) {
      const others = whole(changed(row, column, null));
      return values.map((value) => others.with(column, value).scores());
    }

    // Shapley values: the mean gain of showing a column after those before it, over the orders that Python takes.
    function* evidence(row) {
      const nothing = naive(row, []);
      const found = [nothing, ...columns.map(() => new Float64Array(nClasses))];
      const nOrders = tables.orders.length / n;
      for (let order = 0; order < nOrders; order += 1) {
        const shown = new Shown(row, 0);
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
    return { joint: (row) => whole(row).scores(), variants, evidence };
  }

  const KINDS = { product, hidden, average };
  const load = ({ model, columns, classes }) => KINDS[model.kind](model, columns, classes.length);
  return { unpack, posterior, load };
})();
