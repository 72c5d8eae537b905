// Loaded into a measured process with --require: when it exits, it writes down its processor time and peak memory. CommonJS,
// so that a program that has no ES modules is not charged for Node's loader of them.
const { writeFileSync } = require("node:fs");

const file = process.env.STARGRAM_BENCH_USAGE;
if (file) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); // microseconds, KiB
    writeFileSync(file, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 }));
  });
}
