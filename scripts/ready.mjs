// Makes a clone ready to run, before `npm start` and `npm test`: installs the packages when they are not those of
// package-lock.json, builds when dist/ is not made from the sources as they are, and links the command so that
// `npx stargram` finds it. Says what it does; when there is nothing to do, says nothing.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, builtHash, root, sourceHash } from "./build.mjs";
import { kernelCodes } from "./build-kernel.mjs";
import { fail, packagesInstalled, say } from "./needs.mjs";

const description = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

requireNode(description.engines.node.replace(/^>=/, ""));
if (!packagesInstalled()) install();
if (!kernelCodes.every((path) => existsSync(path)) || builtHash() !== sourceHash()) {
  say("building (src/ to dist/)");
  if (!(await build())) fail("the build failed: see the compiler's messages above");
}
for (const [name, path] of Object.entries(description.bin)) linkCommand(name, join(root, path));

/** @param {string} least */
function requireNode(least) {
  const [major, minor] = least.split(".").map(Number);
  const [ourMajor, ourMinor] = process.versions.node.split(".").map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= (minor ?? 0))) return;
  fail(`Stargram needs Node.js ${least} or newer; this is ${process.versions.node}: see https://nodejs.org`);
}

function install() {
  say("installing packages (npm ci)");
  // The development packages hold the compiler, the tests and the demo's data: wanted even where NODE_ENV=production.
  const options = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  // Inside an npm script this names npm's own program, which spares us the shell that npm.cmd needs on Windows.
  const npm = process.env.npm_execpath;
  const done = npm
    ? spawnSync(process.execPath, [npm, ...options], { cwd: root, stdio: "inherit" })
    : spawnSync("npm", options, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (done.status !== 0) fail("npm could not install the packages: see its messages above, then run `npm ci`");
}

/**
 * npm links the commands of the packages it installs, not those of the package it works in.
 * @param {string} name
 * @param {string} program
 */
function linkCommand(name, program) {
  const link = join(root, "node_modules", ".bin", name);
  const target = relative(dirname(link), program);
  mkdirSync(dirname(link), { recursive: true });
  if (process.platform === "win32") {
    writeFileSync(`${link}.cmd`, `@node "%~dp0${target}" %*\r\n`);
    return;
  }
  try {
    if (readlinkSync(link) === target) return;
  } catch {
    // Not there, or not a link: made below.
  }
  rmSync(link, { force: true });
  symlinkSync(target, link);
}
