// The picture of a schedule: where machines and moments lie on a canvas, and how they are painted.

const TALL = 620, BAND = 4, AXIS = 40, TOP = 38; // Pixels: all lanes, between bands, margins.
const RIGHT = 14;
const COLOURS = ["ground", "card", "ink", "soft", "faint", "wrong"];
const FONT = "system-ui, sans-serif";
// Darkness by the part of its bandwidth that a ring loses, in twentieths.
const SHADES = Array.from({ length: 21 }, (_, step) => `rgba(16, 19, 26, ${0.034 * step})`);

class Picture {
  constructor(hues) {
    this.hues = hues;
    this.canvas = element("canvas", { tabindex: 0, role: "application" });
    this.whole = element("canvas"); // The picture while no job stands out, painted beforehand.
    this.pen = this.whole.getContext("2d");
  }

  // Give every machine its place; `from` and `to` are the range of time in sight.
  layOut(schedule) {
    Object.assign(this, { schedule, job: null, from: 0, to: schedule.end });
    const lanes = schedule.bands.reduce((sum, band) => sum + band.lanes, 0);
    this.pen.font = `12px ${FONT}`;
    this.widest = Math.max(...schedule.bands.map(band => this.pen.measureText(band.name).width));
    this.lane = Math.min(18, Math.max(TALL / lanes, 0.5));
    this.bottom = TOP;
    this.tops = schedule.bands.map(band => {
      const top = this.bottom;
      this.bottom += this.heightOf(band) + BAND;
      return top;
    });
    this.canvas.style.height = `${this.bottom + AXIS}px`;
  }

  heightOf(band) {
    return Math.max(band.lanes * this.lane, 5);
  }

  // Return top and height of the blocks of lanes that a bar has.
  boxes(bar) {
    const top = this.tops[bar.band], band = this.schedule.bands[bar.band];
    const lane = this.heightOf(band) / band.lanes, found = [];
    for (let i = 0; i < bar.lanes.length; i += 2)
      found.push([top + bar.lanes[i] * lane, (bar.lanes[i + 1] - bar.lanes[i]) * lane]);
    return found;
  }

  x(slot) { return this.left + this.width * (slot - this.from) / (this.to - this.from); }
  slot(x) { return this.from + (this.to - this.from) * (x - this.left) / this.width; }

  barAt(x, y) {
    const slot = this.slot(x);
    if (slot < this.from || slot >= this.to) return undefined;
    const within = bar => this.boxes(bar).some(([top, height]) => y >= top && y < top + height);
    return this.schedule.bars.find(bar => slot >= bar.start && slot < this.endOf(bar) && within(bar));
  }

  endOf(bar) {
    return bar.end ?? this.schedule.end;
  }

  // Paint all of it: the range of time, the size or the colours have changed.
  draw() {
    const { canvas, whole, pen } = this, scale = devicePixelRatio || 1;
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
    this.left = Math.min(wide < 560 ? 84 : 160, this.widest + 20);
    this.width = wide - this.left - RIGHT;
    [whole.width, whole.height] = [canvas.width, canvas.height] = [wide * scale, high * scale];
    pen.scale(scale, scale);
    pen.textBaseline = "middle";
    this.colours = Object.fromEntries(COLOURS.map(name => [name, colour(canvas, name)]));
    this.box(this.colours.ground, 0, 0, wide, high);
    this.drawBands();
    this.drawAxis();
    this.drawBars(() => true);
    const { bound, line } = this.schedule;
    if (bound !== line) this.drawLine(bound, "bound", [5, 4], 22);
    this.drawLine(line, bound === line ? "makespan = bound" : "makespan", [], 8);
    this.drawJob();
  }

  // Show what was painted, with one job in front of all others.
  drawJob() {
    const { canvas, whole, pen, job } = this, front = canvas.getContext("2d");
    front.drawImage(whole, 0, 0);
    if (job === null) return;
    front.save();
    front.setTransform(pen.getTransform());
    Object.assign(front, { globalAlpha: 0.65, textBaseline: "middle" });
    this.pen = front;
    this.box(this.colours.ground, this.left, TOP, this.width, this.bottom - TOP);
    front.globalAlpha = 1;
    this.drawBars(bar => bar.job === job, true);
    front.restore();
    this.pen = pen;
  }

  drawBars(wanted, outlined) {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(this.left, 0, this.width, this.bottom);
    pen.clip();
    const seen = bar => this.endOf(bar) > this.from && bar.start < this.to && wanted(bar);
    const bars = this.schedule.bars.filter(seen);
    for (const bar of bars) this.drawBar(bar, outlined);
    for (const bar of bars) this.drawNames(bar); // So that no other bar lies over a name.
    pen.restore();
  }

  box(fill, ...place) {
    this.pen.fillStyle = fill;
    this.pen.fillRect(...place);
  }

  write(text, fill, x, y, align, font) {
    Object.assign(this.pen, { fillStyle: fill, textAlign: align, font: `${font} ${FONT}` });
    this.pen.fillText(text, x, y);
  }

  drawBands() {
    let written = -Infinity;
    this.schedule.bands.forEach((band, i) => {
      const height = this.heightOf(band), middle = this.tops[i] + height / 2;
      this.box(this.colours.card, this.left, this.tops[i], this.width, height);
      if (middle - written < 13) return;
      this.pen.font = `12px ${FONT}`;
      const name = shortened(this.pen, band.name, this.left - 14);
      this.write(name, this.colours.ink, this.left - 8, middle, "right", "12px");
      written = middle;
    });
  }

  drawAxis() {
    const { faint, soft } = this.colours, below = this.bottom + 10;
    for (const tick of ticks(this.from, this.to, this.width / 80)) {
      this.box(faint, this.x(tick), TOP, 1, this.bottom - TOP);
      this.write(WRITTEN.number(tick), soft, this.x(tick), below, "center", "12px");
    }
    const middle = this.left + this.width / 2;
    this.write(`time in ${this.schedule.unit}`, soft, middle, below + 17, "center", "12px");
  }

  drawBar(bar, outlined) {
    const { pen } = this, job = this.schedule.jobs[bar.job];
    const [left, right] = [bar.start, this.endOf(bar)].map(slot => this.x(slot));
    const width = Math.max(right - left - (right - left > 3 ? 0.6 : 0), 0.8);
    for (const [top, high] of this.boxes(bar)) {
      const gap = high >= 4 ? 0.5 : 0, height = high - 2 * gap;
      this.box(this.hues[job.hue % this.hues.length], left, top + gap, width, height);
      this.drawShades(job, bar, top + gap, height);
      if (bar.end === null) this.box(this.colours.wrong, right - 4, top, 4, high);
      if (outlined) {
        Object.assign(pen, { strokeStyle: this.colours.ink, lineWidth: 1.5 });
        pen.strokeRect(left - 0.75, top - 0.75, width + 1.5, high + 1.5);
      }
    }
  }

  drawNames(bar) {
    const [left, right] = [bar.start, this.endOf(bar)].map(slot => this.x(slot));
    const { name } = this.schedule.jobs[bar.job];
    for (const [top, high] of this.boxes(bar)) {
      const size = Math.min(11, Math.round(high) - 3);
      if (size >= 8) this.drawName(name, left, right - left, top + high / 2, size);
    }
  }

  // Darken the times in which the job loses bandwidth to others, in strips of a pixel or more.
  drawShades(job, bar, top, height) {
    const from = Math.max(bar.start, this.from), to = Math.min(this.endOf(bar), this.to);
    let since = this.x(from), lost = 0;
    for (const [start, end, , , part] of job.spans) {
      if (end <= from || start >= to) continue;
      const [left, right] = [Math.max(start, from), Math.min(end, to)].map(slot => this.x(slot));
      lost += part * (right - left);
      if (right - since < 1 && end < to) continue;
      const step = Math.round(20 * lost / (right - since));
      if (step) this.box(SHADES[step], since, top, right - since, height);
      [since, lost] = [right, 0];
    }
  }

  drawName(name, left, width, middle, size) {
    const start = Math.max(left, this.left) + 4, room = left + width - start - 3;
    if (room < 24) return;
    const { pen } = this;
    // Ink with a halo can be read on any shade; letters and halo stay clear of the bar's borders.
    Object.assign(pen, { font: `${size}px ${FONT}`, textAlign: "left", strokeStyle: "#ffffffb0" });
    pen.lineWidth = size / 4;
    const text = shortened(pen, name, room);
    pen.strokeText(text, start, middle);
    this.write(text, "#14181e", start, middle, "left", `${size}px`);
  }

  drawLine(slot, name, dash, height) {
    if (slot === null || slot < this.from || slot > this.to) return;
    const { pen } = this, { ink } = this.colours, x = this.x(slot);
    Object.assign(pen, { strokeStyle: ink, lineWidth: 1.5 });
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(x, height + 7);
    pen.lineTo(x, this.bottom);
    pen.stroke();
    pen.setLineDash([]);
    const side = x > this.left + this.width / 2 ? "right" : "left";
    this.write(`${name} ${WRITTEN.number(slot)}`, ink, x, height, side, "bold 11px");
  }
}

// Return what a variable of the style is now, in light or dark.
function colour(canvas, name) {
  canvas.style.color = `var(--${name})`;
  return getComputedStyle(canvas).color;
}

function shortened(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let length = text.length;
  while (length > 1 && pen.measureText(text.slice(0, length) + "…").width > room) length -= 1;
  return length > 1 ? text.slice(0, length) + "…" : "";
}

// Return moments at steps of 1, 2 or 5 times a power of ten, up to about `most` of them.
function* ticks(from, to, most) {
  const rough = (to - from) / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(digit => digit * power >= rough);
  for (let i = Math.ceil(from / step); i * step <= to; i += 1) yield i * step;
}
