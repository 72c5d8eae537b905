// Loaded into a measured process with --import: when it exits, it writes down its processor time and peak memory.
import { writeFileSync } from "node:fs";

const file = process.env.STARGRAM_BENCH_USAGE;
if (file) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); // microseconds, KiB
    writeFileSync(file, JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, peak: maxRSS * 1024 }));
  });
}
