// Numbers about the server in the text format of Prometheus (version 0.0.4):
//   # HELP name what it is
//   # TYPE name counter
//   name{label="value"} 12

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]; // s

type Type = "counter" | "gauge" | "histogram";

/** A number of the moment, or several by label. */
export interface Measured {
  name: string;
  type: Type;
  help: string;
  values: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

export class Metrics {
  private readonly requests = new Map<string, { path: string; code: number; count: number }>();
  private readonly predictions = new Map<string, number>();
  /** [bounds + 1] requests that took no longer than a bound, and longer than the one before. */
  private readonly within = new Uint32Array(BOUNDS.length + 1);
  private seconds = 0;
  private readonly began = Date.now() / 1000;

  request(path: string, code: number, seconds: number): void {
    const key = `${path} ${code}`;
    const one = this.requests.get(key) ?? { path, code, count: 0 };
    one.count++;
    this.requests.set(key, one);
    if (path !== "/predict") return;
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    this.within[place < 0 ? BOUNDS.length : place]++;
    this.seconds += seconds;
  }

  predicted(model: string, count: number): void {
    this.predictions.set(model, (this.predictions.get(model) ?? 0) + count);
  }

  /** Everything, with numbers that others know. */
  text(others: readonly Measured[]): string {
    const { user, system } = process.cpuUsage();
    const own: Measured[] = [
      {
        name: "stargram_requests_total",
        type: "counter",
        help: "Requests answered, by path and status code.",
        values: [...this.requests.values()].map(({ path, code, count }) => [{ path, code: String(code) }, count]),
      },
      {
        name: "stargram_predictions_total",
        type: "counter",
        help: "Predictions given, by model.",
        values: [...this.predictions].map(([model, count]) => [{ model }, count]),
      },
      one("process_cpu_seconds_total", "counter", "CPU time of the process.", (user + system) / 1e6),
      one("process_resident_memory_bytes", "gauge", "Memory of the process.", process.memoryUsage.rss()),
      one("process_start_time_seconds", "gauge", "When the process began, Unix time.", this.began),
    ];
    return `${[...own, ...others].map(measuredText).join("")}${this.histogram()}`;
  }

  private histogram(): string {
    const name = "stargram_request_seconds";
    let count = 0;
    const lines = [`# HELP ${name} Time to answer POST /predict.`, `# TYPE ${name} histogram`];
    this.within.forEach((here, i) => {
      count += here;
      lines.push(`${name}_bucket{le="${i < BOUNDS.length ? BOUNDS[i] : "+Inf"}"} ${count}`);
    });
    return `${[...lines, `${name}_sum ${this.seconds}`, `${name}_count ${count}`].join("\n")}\n`;
  }
}

export function one(name: string, type: Type, help: string, value: number): Measured {
  return { name, type, help, values: [[{}, value]] };
}

function measuredText({ name, type, help, values }: Measured): string {
  const lines = values.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
