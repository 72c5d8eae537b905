// examples/web as a stranger builds it: from the installed package, its types checked without those of Node, bundled by vite, run in a
// browser. Then the same without leave to compile WebAssembly, where the slower kernel has to take over and say so.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { build } from "vite";
import { executable, launch } from "./browser.mjs";
import { root } from "./build.mjs";

const types = { ".html": "text/html", ".js": "text/javascript" };

/**
 * What is wrong, in words; undefined if nothing is.
 * @param {string} folder where the package is installed
 * @returns {Promise<string | undefined>}
 */
export async function checkWebApp(folder) {
  const app = join(folder, "web");
  cpSync(join(root, "examples", "web"), app, { recursive: true });
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, types: [], lib: ["ES2022", "DOM", "DOM.Iterable"] },
    ...{ module: "esnext", moduleResolution: "bundler", target: "es2022", allowImportingTsExtensions: true },
  };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const checked = spawnSync(tsc, ["-p", app], { encoding: "utf8" });
  if (checked.status !== 0) return `types of examples/web:\n${checked.stdout}`;
  await build({ root: app, logLevel: "warn", build: { outDir: "built", target: "es2022" }, worker: { format: "es" } });
  if (executable === undefined) return undefined;
  for (const evaluates of [true, false]) {
    const wrong = await run(join(app, "built"), evaluates);
    if (wrong) return `examples/web ${evaluates ? "" : "without WebAssembly "}in a browser: ${wrong}`;
  }
  return undefined;
}

/** @param {string} folder @param {boolean} evaluates whether WebAssembly may be compiled @returns {Promise<string | undefined>} */
async function run(folder, evaluates) {
  const policy = `default-src 'none'; script-src 'self'${evaluates ? " 'wasm-unsafe-eval'" : ""}; worker-src 'self'; connect-src 'self'`;
  const server = createServer(({ url = "/" }, response) => {
    const path = url === "/" ? "/index.html" : url;
    const type = /** @type {Record<string, string>} */ (types)[extname(path)];
    if (!type) return void response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": policy });
    response.end(readFileSync(join(folder, path)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const browser = await launch();
  try {
    const page = await browser.newPage();
    /** @type {string[]} */
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText(/^DT NN VBZ \(\d+\.\d %\)$/).waitFor({ timeout: 30_000 });
    const warned = said.some((text) => text.includes("slower JavaScript kernel"));
    return warned === evaluates ? `it said: ${said.join("; ")}` : undefined;
  } catch (error) {
    return String(error);
  } finally {
    await browser.close();
    server.close();
  }
}
