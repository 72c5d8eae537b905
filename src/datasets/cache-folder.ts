// The user's folder for what can be had again: data sets, compiled code.

import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** `STARGRAM_CACHE`, or `stargram` in the user's cache folder. */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  if (environment.STARGRAM_CACHE) return resolve(environment.STARGRAM_CACHE);
  if (environment.XDG_CACHE_HOME) return join(environment.XDG_CACHE_HOME, "stargram");
  if (platform === "darwin") return join(homedir(), "Library", "Caches", "stargram");
  if (platform === "win32") return join(environment.LOCALAPPDATA || join(homedir(), "AppData", "Local"), "stargram");
  return join(homedir(), ".cache", "stargram");
}
