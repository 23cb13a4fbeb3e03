// A table of which only the rows in sight are in the page: sorted, filtered, walked by keyboard.

const ROW = 28; // Height of a row in pixels, as in style.css.
const SPARE = 8; // Rows kept above and below those in sight.
const PRINTED = 100; // Rows that are printed.
const WIDEST = 44; // Characters of the widest column.
const LEAST = 9; // Characters of a name on a narrow screen.
const FEW = 30; // Up to so many rows need no filter.

class Grid {
  constructor(host, data) {
    this.count = data.count;
    this.columns = data.columns.map(column => new Column(column));
    this.shown = this.columns.filter(column => !column.hidden);
    this.byName = new Map(this.columns.map(column => [column.name, column]));
    this.order = Uint32Array.from({ length: this.count }, (_, row) => row);
    this.rows = this.order; // Those that pass the filter, in order.
    this.chosen = null; // Place in `rows` of the row whose details are shown.
    this.excluded = new Map();
    this.name = data.name;
    this.build(host, data);
    this.refresh();
  }

  build(host, data) {
    this.heads = this.shown.map(column => this.headOf(column));
    this.all = this.shown.map((column, i) => [column, this.heads[i], longest(column)]);
    this.body = element("tbody");
    this.widths = element("colgroup");
    this.top = element("tr", { "aria-rowindex": 1 });
    this.table = element(
      "table",
      { role: "grid", tabindex: 0, "aria-label": data.about },
      this.widths,
      element("thead", {}, this.top),
      this.body,
    );
    this.scroller = element("div", { class: "scroller", tabindex: -1 }, this.table);
    this.detail = element("dl", { class: "detail", "aria-live": "polite" });
    this.tally = element("output");
    host.append(...this.tools(data), this.scroller, ...(this.hasDetail ? [this.detail] : []));
    this.scroller.addEventListener("scroll", () => this.onScroll(), { passive: true });
    this.table.addEventListener("keydown", event => this.onKey(event));
    this.body.addEventListener("click", event => this.onClick(event));
    this.arrange();
    new ResizeObserver(() => {
      this.arrange();
      this.paint();
    }).observe(this.scroller);
    addEventListener("beforeprint", () => this.paint(PRINTED));
    addEventListener("afterprint", () => this.paint());
  }

  // If the screen would cut key columns, they come first and their names share the room.
  arrange() {
    const pen = document.createElement("canvas").getContext("2d");
    const { fontSize, fontFamily } = getComputedStyle(this.table);
    pen.font = `${fontSize} ${fontFamily}`;
    const room = this.scroller.clientWidth / pen.measureText("0").width;
    const [head, cell] = matchMedia("(max-width: 640px)").matches ? [3, 2] : [5, 3]; // As in style.css.
    const widthOf = ([column, , longest]) =>
      Math.min(WIDEST, Math.max(column.head.length + head, longest + cell));
    const total = parts => parts.reduce((sum, part) => sum + widthOf(part), 0);
    const isKey = ([column]) => column.key;
    const narrow = room < total(this.all.slice(0, 1 + this.all.findLastIndex(isKey)));
    const keys = this.all.filter(isKey), numbers = keys.filter(([column]) => column.numeric);
    let names = keys.length - numbers.length, left = room - total(numbers);
    const order = narrow ? [...keys, ...this.all.filter(part => !isKey(part))] : this.all;
    const widths = order.map(part => {
      const [column] = part, width = widthOf(part);
      if (!narrow || !column.key || column.numeric) return width;
      const share = Math.max(LEAST, Math.min(width, left / names));
      names -= 1;
      left -= share;
      return share;
    });
    if (widths.join() === this.arranged) return;
    this.arranged = widths.join();
    this.shown = order.map(([column]) => column);
    this.top.replaceChildren(...order.map(([, head]) => head));
    this.widths.replaceChildren(...widths.map(width => element("col", { style: `width: ${width}ch` })));
  }

  get hasDetail() {
    return this.columns.length > this.shown.length;
  }

  headOf(column) {
    const button = element("button", { type: "button" }, column.head);
    const head = element("th", { scope: "col", "aria-sort": "none" }, button);
    if (column.about) button.title = column.about;
    if (column.numeric) head.className = "number";
    button.addEventListener("click", () => this.sort(column, head));
    return head;
  }

  tools(data) {
    if (this.count <= FEW) return [];
    const hint = "words, or gap>0.05, status=optimal";
    this.words = element("input", { type: "search", placeholder: hint, "aria-label": `filter ${this.name}` });
    this.words.addEventListener("input", () => this.refresh());
    const facets = data.facets.map(name => this.facet(this.byName.get(name))).filter(Boolean);
    return [element("div", { class: "tools" }, this.words, this.tally, ...facets)];
  }

  // A box to tick for each value of a column.
  facet(column) {
    if (!column?.of || column.of.length > 16) return null;
    const counts = column.of.map(() => 0);
    for (const place of column.at) counts[place] += 1;
    const without = new Set();
    this.excluded.set(column, without);
    const boxes = column.of.map((value, place) => {
      const box = element("input", { type: "checkbox", checked: "" });
      box.addEventListener("change", () => {
        without[box.checked ? "delete" : "add"](value);
        this.refresh();
      });
      const text = ` ${column.write(value) || "none"} `;
      const count = element("small", {}, counts[place].toLocaleString("en"));
      return element("label", {}, box, text, count);
    });
    return element("fieldset", {}, element("legend", {}, column.head), ...boxes);
  }

  sort(column, head) {
    const down = head.ariaSort === "ascending";
    for (const other of this.heads) other.ariaSort = "none";
    head.ariaSort = down ? "descending" : "ascending";
    const keys = column.keys(this.count, down ? -1 : 1);
    this.order.sort((a, b) => (keys[a] > keys[b]) - (keys[a] < keys[b])); // This sort is stable.
    this.refresh();
  }

  // Turn `seconds>10` and plain words into tests of a row; all must pass.
  tests() {
    const texts = this.columns.filter(column => !column.numeric);
    const tests = (this.words?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean).map(word => {
      const [, name, sign, wanted] = word.match(/^([a-z_]+)(<=|>=|<|>|=)(.+)$/) ?? [];
      const column = this.byName.get(name);
      if (column) return column.passing(this.count, comparison(sign, wanted));
      const found = texts.map(text =>
        text.passing(this.count, value => !isMissing(value) && String(value).toLowerCase().includes(word)));
      return row => found.some(test => test(row));
    });
    for (const [column, without] of this.excluded)
      if (without.size) tests.push(column.passing(this.count, value => !without.has(value)));
    return tests;
  }

  refresh() {
    const tests = this.tests();
    this.rows = tests.length ? this.order.filter(row => tests.every(test => test(row))) : this.order;
    const [some, all] = [this.rows.length, this.count].map(count => count.toLocaleString("en"));
    this.tally.textContent = some === all ? `${all} ${this.name}` : `${some} of ${all} ${this.name}`;
    this.table.setAttribute("aria-rowcount", this.rows.length + 1);
    this.scroller.scrollTop = 0;
    this.choose(null);
  }

  // Rows are kept in steps, so that most scrolling finds them there already.
  onScroll() {
    if (this.first !== this.firstInSight()) this.paint();
  }

  firstInSight() {
    return Math.max(0, SPARE * Math.floor(this.scroller.scrollTop / ROW / SPARE) - SPARE);
  }

  paint(most = null) {
    const first = this.first = most ? 0 : this.firstInSight();
    const wanted = most ?? Math.ceil(this.scroller.clientHeight / ROW) + 3 * SPARE;
    const last = Math.min(this.rows.length, first + wanted);
    const more = this.rows.length - last;
    if (most && more) this.scroller.dataset.more = `${more.toLocaleString("en")} more are not printed`;
    const rows = [];
    for (let place = first; place < last; place += 1) rows.push(this.rowAt(place));
    this.body.replaceChildren(space(first), ...rows, space(most ? 0 : more));
  }

  rowAt(place) {
    const row = this.rows[place];
    const made = element("tr", { id: `${this.name}-${place}`, "aria-rowindex": place + 2 });
    made.dataset.place = place;
    made.setAttribute("aria-selected", place === this.chosen);
    for (const column of this.shown) {
      const value = column.value(row), cell = made.insertCell();
      const text = column.write(value);
      cell.append(column.links ? element("a", { href: column.links[row] }, text) : text);
      if (column.numeric) cell.className = "number";
      if (column.form === "status") cell.dataset.status = value;
      if (typeof value === "string" && column.numeric) cell.classList.add("reason");
      if (column.best.has(row)) cell.classList.add("best");
    }
    return made;
  }

  choose(place) {
    this.chosen = place;
    if (place === null) this.table.removeAttribute("aria-activedescendant");
    else this.table.setAttribute("aria-activedescendant", `${this.name}-${place}`);
    this.paint();
    if (this.hasDetail) this.tell();
  }

  // Show all that is known of the chosen row.
  tell() {
    if (this.chosen === null) {
      const hint = "Choose a row by a click, or with the arrow keys in the table, to see all of it.";
      this.detail.replaceChildren(element("p", {}, hint));
      return;
    }
    const row = this.rows[this.chosen];
    const known = this.columns.filter(column => !isMissing(column.value(row)) && column.value(row) !== "");
    this.detail.replaceChildren(...known.map(column =>
      element("div", {}, element("dt", {}, column.head), element("dd", {}, column.write(column.value(row))))));
  }

  onClick(event) {
    const row = event.target.closest("tr[data-place]");
    if (row) this.choose(Number(row.dataset.place));
  }

  onKey(event) {
    if (event.target !== this.table || event.ctrlKey || event.altKey || event.metaKey) return;
    const head = this.table.tHead.offsetHeight, last = this.rows.length - 1;
    const page = Math.max(1, Math.floor((this.scroller.clientHeight - head) / ROW) - 1);
    const from = this.chosen ?? -1;
    const place = {
      ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + page, PageUp: from - page,
      Home: 0, End: last,
    }[event.key];
    if (place === undefined || last < 0) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, place));
    const top = next * ROW, bottom = top + ROW + head - this.scroller.clientHeight;
    this.scroller.scrollTop = Math.min(top, Math.max(bottom, this.scroller.scrollTop));
    this.choose(next);
  }
}

// Characters of the longest cell.
function longest(column) {
  const sample = column.different.slice(0, 2000).map(value => column.write(value).length);
  return sample.reduce((one, other) => Math.max(one, other), 0);
}

function space(rows) {
  const made = element("tr", { class: "space", "aria-hidden": true });
  made.style.height = `${rows * ROW}px`;
  return made;
}
