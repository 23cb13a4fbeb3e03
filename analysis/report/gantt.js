// A schedule that can be looked into: zoomed, moved and asked, by pointer and by keyboard.

const CLOSEST = 2000; // The greatest zoom.
const STEP = 1.5; // What a key or a button zooms by.
const KEYS = "Left and right move in time, up and down choose a job, plus and minus zoom, 0 shows all.";

class Gantt extends Picture {
  constructor(host, schedules, hues) {
    super(hues);
    this.schedules = schedules;
    this.tip = element("div", { class: "tip", hidden: "", "aria-live": "polite" });
    this.range = element("output");
    this.about = element("p", { class: "soft" });
    this.held = new Map(); // Pointers that are down, with their places.
    const chart = element("div", { class: "chart" }, this.canvas, this.tip);
    host.append(this.tools(), this.about, chart);
    this.listen();
    this.pick();
  }

  tools() {
    const names = new Set(this.schedules.map(one => one.instance));
    this.instances = element("select", {}, ...[...names].map(name => new Option(name)));
    this.methods = element("select");
    this.instances.addEventListener("change", () => this.pick());
    this.methods.addEventListener("change", () => this.show(this.schedules[this.methods.value]));
    return element("div", { class: "tools" },
      element("label", {}, "instance ", this.instances),
      element("label", {}, "method ", this.methods),
      element("div", { class: "zoom" },
        button("+", "zoom in", () => this.zoom(STEP)),
        button("−", "zoom out", () => this.zoom(1 / STEP)),
        button("reset", "show all of it", () => this.reset())),
      this.range);
  }

  // Offer the methods of the chosen instance, and show the first.
  pick() {
    const name = this.instances.selectedOptions[0].text;
    const places = [...this.schedules.keys()].filter(i => this.schedules[i].instance === name);
    this.methods.replaceChildren(...places.map(i => new Option(this.schedules[i].title, i)));
    this.show(this.schedules[places[0]]);
  }

  show(schedule) {
    this.layOut(schedule);
    this.about.textContent = schedule.about;
    this.canvas.setAttribute("aria-label", `${schedule.about} ${KEYS}`);
    const starts = schedule.jobs.map(job => job.start);
    this.order = [...starts.keys()].sort((a, b) => starts[a] - starts[b] || a - b);
    this.reset();
  }

  reset() {
    this.look(0, this.schedule.end);
  }

  // Show a range of time, inside what there is.
  look(from, to) {
    const all = this.schedule.end;
    const length = Math.min(all, Math.max(to - from, all / CLOSEST));
    this.from = Math.min(Math.max(0, from), all - length);
    this.to = this.from + length;
    const written = rounded(length < 10 ? 2 : length < 100 ? 1 : 0);
    const [first, last, whole] = [this.from, this.to, all].map(slot => written.format(slot));
    this.range.textContent = `${this.schedule.unit} ${first} to ${last} of ${whole}`;
    this.draw();
  }

  zoom(factor, x = this.left + this.width / 2) {
    const slot = this.slot(x);
    this.look(slot - (slot - this.from) / factor, slot + (this.to - slot) / factor);
  }

  // Move by so many pixels.
  pan(pixels) {
    const slots = pixels / this.width * (this.to - this.from);
    this.look(this.from + slots, this.to + slots);
  }

  listen() {
    const { canvas } = this, on = (name, act) => canvas.addEventListener(name, act);
    canvas.addEventListener("wheel", event => this.onWheel(event), { passive: false });
    on("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      this.held.set(event.pointerId, event.offsetX);
    });
    on("pointermove", event => this.onMove(event));
    on("pointerup", event => this.held.delete(event.pointerId));
    on("pointercancel", event => this.held.delete(event.pointerId));
    on("click", event => this.ask(event.offsetX, event.offsetY));
    on("pointerleave", () => this.choose(null));
    on("focus", () => canvas.matches(":focus-visible") && this.step(0));
    on("blur", () => this.choose(null));
    on("keydown", event => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    document.addEventListener("theme", () => this.draw());
  }

  onWheel(event) {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const turn = event.deltaY || event.deltaX;
    // Where all is in sight already, turning back scrolls the page on.
    if (!sideways && turn > 0 && this.to - this.from >= this.schedule.end) return;
    event.preventDefault();
    if (sideways) this.pan(event.deltaX || event.deltaY);
    else this.zoom(Math.exp(-turn / 300), event.offsetX);
  }

  // One pointer that is down moves the time, two of them zoom.
  onMove(event) {
    const x = event.offsetX, before = this.held.get(event.pointerId);
    if (before === undefined) return this.ask(x, event.offsetY);
    const other = [...this.held].find(([id]) => id !== event.pointerId)?.[1];
    this.held.set(event.pointerId, x);
    if (other === undefined) return this.pan(before - x);
    const [now, then] = [x, before].map(one => Math.max(12, Math.abs(one - other)));
    this.zoom(now / then, (x + other) / 2);
  }

  ask(x, y) {
    const bar = this.barAt(x, y);
    this.choose(bar ? bar.job : null, this.slot(x), x, y);
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const act = {
      ArrowLeft: () => this.pan(-this.width / 10), ArrowRight: () => this.pan(this.width / 10),
      ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1),
      "+": () => this.zoom(STEP), "=": () => this.zoom(STEP), "-": () => this.zoom(1 / STEP),
      0: () => this.reset(), Home: () => this.reset(), Escape: () => this.choose(null),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // Choose the next or an earlier job by its start, and bring it into sight.
  step(by) {
    const last = this.order.length - 1, place = this.order.indexOf(this.job);
    const job = this.order[Math.min(last, Math.max(0, place + by))];
    const bar = this.schedule.bars.find(bar => bar.job === job);
    if (!bar) return;
    if (bar.start >= this.to || this.endOf(bar) <= this.from) {
      const middle = (bar.start + this.endOf(bar)) / 2, half = (this.to - this.from) / 2;
      this.look(middle - half, middle + half);
    }
    const slot = Math.max(bar.start, this.from), [[top, height]] = this.boxes(bar);
    this.choose(job, slot, this.x(slot), top + height);
  }

  // Let a job stand out, and say beside a place what it does at a moment.
  choose(job, slot, x, y) {
    const same = this.job === job;
    this.job = job;
    if (!same) this.drawJob();
    this.tip.hidden = job === null;
    if (job === null) return;
    const { schedule, canvas, tip } = this;
    const rate = rateOf(schedule.jobs[job], schedule.end, slot);
    tip.replaceChildren(...wordsOn(schedule, job, slot), rate);
    const right = x + 16 + tip.offsetWidth <= canvas.clientWidth;
    const left = right ? x + 16 : x - 16 - tip.offsetWidth;
    const below = canvas.getBoundingClientRect().top + y + 12 + tip.offsetHeight <= innerHeight;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below ? y + 12 : y - 12 - tip.offsetHeight}px`;
  }
}
