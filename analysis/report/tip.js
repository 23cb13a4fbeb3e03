// What is said of a job at a moment: its gang, the contention, and its rate over time.

const PLACES = 8; // Machines of a gang that are named.

function wordsOn(schedule, number, slot) {
  const job = schedule.jobs[number];
  const held = schedule.bars.filter(bar =>
    bar.job === number && bar.start <= slot && slot < (bar.end ?? Infinity));
  const places = held.slice(0, PLACES).map(bar => `${schedule.bands[bar.band].name}: ${bar.what}`);
  if (held.length > PLACES) places.push(`${held.length - PLACES} more`);
  const until = job.end === null ? "never ends" : `to ${WRITTEN.number(job.end)}`;
  const span = job.spans.find(([start, end]) => start <= slot && slot < end);
  const lines = [
    job.about,
    `from ${WRITTEN.number(job.start)} ${until}`,
    `now: ${places.join(", ") || "nothing"}`,
    ...(span ? [span[3], `rate: ${WRITTEN.number(span[2])} ${schedule.rate}`] : []),
  ];
  return [element("strong", {}, job.name), "\n" + lines.join("\n")];
}

// Draw a job's rate over its time, with a mark at the moment looked at.
function rateOf(job, end, slot) {
  const width = 220, height = 34;
  const most = job.spans.reduce((rate, span) => Math.max(rate, span[2]), 1e-9);
  const x = at => width * (at - job.start) / ((job.end ?? end) - job.start || 1);
  const y = rate => height - 2 - (height - 5) * rate / most;
  const steps = job.spans.map(([from, to, rate]) => `L${x(from)} ${y(rate)}L${x(to)} ${y(rate)}`);
  return drawn(
    "svg",
    { width, height, role: "img", "aria-label": "rate over time" },
    drawn("path", { d: steps.join("").replace("L", "M") }),
    drawn("line", { x1: x(slot), x2: x(slot), y1: 0, y2: height }),
  );
}
