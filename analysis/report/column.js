// A column of a table: its values, how they are written, sorted and tested.

const rounded = most => new Intl.NumberFormat("en", { maximumFractionDigits: most });
const [whole, plainNumber] = [rounded(0), rounded(3)];
const three = new Intl.NumberFormat("en", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const WRITTEN = {
  number: value => (value && Math.abs(value) < 0.1 ? three : plainNumber).format(value),
  count: value => whole.format(value),
  percent: value => `${(100 * value).toFixed(2)} %`,
  small: value => (value ? value.toExponential(1) : "0"),
  seconds: value => (value && value < 1000 ? three : whole).format(value),
};
const isMissing = value => value === null || value === undefined;

class Column {
  constructor(data) {
    Object.assign(this, { head: data.name, about: "", hidden: false, best: [] }, data);
    this.best = new Set(this.best);
    this.numeric = this.form !== "text" && this.form !== "status";
  }

  value(row) {
    if (this.of) return this.of[this.at[row]];
    return this.values ? this.values[row] : this.all;
  }

  get different() {
    return this.of ?? this.values ?? [this.all];
  }

  write(value) {
    if (isMissing(value)) return "";
    return this.numeric && typeof value === "number" ? WRITTEN[this.form](value) : String(value);
  }

  // A number for each row by which it is sorted; what is missing comes last either way.
  keys(count, sign) {
    const collator = new Intl.Collator("en", { numeric: true });
    const texts = [...new Set(this.different.filter(value => typeof value === "string"))];
    const ranks = new Map(texts.sort(collator.compare).map((text, rank) => [text, rank]));
    const rank = value => this.numeric ? 1e300 : sign * ranks.get(value);
    const key = value =>
      isMissing(value) ? Infinity : typeof value === "number" ? sign * value : rank(value);
    if (!this.of) return Float64Array.from({ length: count }, (_, row) => key(this.value(row)));
    const known = this.of.map(key);
    return Float64Array.from(this.at, place => known[place]);
  }

  // Which rows pass a test of their value; the test is made once for each different value.
  passing(count, test) {
    if (!this.of) return row => test(this.value(row));
    const known = this.of.map(test);
    return row => known[this.at[row]];
  }
}

function comparison(sign, wanted) {
  const number = wanted.endsWith("%") ? parseFloat(wanted) / 100 : Number(wanted);
  if (sign === "=") return value => String(value ?? "").toLowerCase() === wanted || value === number;
  const compare = {
    "<": value => value < number, ">": value => value > number,
    "<=": value => value <= number, ">=": value => value >= number,
  }[sign];
  return value => typeof value === "number" && compare(value);
}
