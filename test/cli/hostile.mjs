// What another page in the same browser can try on a page of ours, even if it knows its whole address, secret and all.
// @ts-nocheck: most of this runs in the browser, whose names the tests do not know.

/**
 * Tries to read and to write in every way a page has; returns what it could read. Runs in the browser, where `page` is.
 * @param {import("playwright-core").Page | import("playwright-core").Frame} page
 * @param {string} address
 * @returns {Promise<string[]>}
 */
export function attack(page, address) {
  return page.evaluate(async (target) => {
    const read = [];
    const paths = ["", "item", "index.html", "models/given.json", "models/given-1.sg"];
    const body = JSON.stringify({ action: "answer", index: 0, text: "stolen", again: false });
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const quietly = async (work) => {
      try {
        await work();
      } catch {
        // refused, as it should be
      }
    };
    const take = (way, text) => {
      if (typeof text === "string" && text !== "") read.push(`${way}: ${text.slice(0, 80)}`);
    };
    const element = (name, fields) => document.body.appendChild(Object.assign(document.createElement(name), fields));

    for (const path of paths) {
      for (const mode of ["cors", "no-cors", "same-origin"]) {
        await quietly(async () => take(`fetch ${mode}`, await (await fetch(target + path, { mode })).text()));
      }
      await quietly(async () => {
        const request = new XMLHttpRequest();
        request.open("GET", target + path, false);
        request.send();
        take("XMLHttpRequest", request.responseText);
      });
      await quietly(() => element("script", { src: target + path }));
      await quietly(() => element("link", { rel: "stylesheet", href: target + path }));
      const image = element("img", { src: target + path, crossOrigin: "anonymous" });
      const frame = element("iframe", { src: target + path });
      const embedded = element("object", { data: target + path });
      await wait(50);
      await quietly(() => take("img", image.naturalWidth > 0 ? "a picture" : ""));
      await quietly(() => take("iframe", frame.contentDocument?.body.textContent));
      await quietly(() => take("object", embedded.contentDocument?.body.textContent));
    }
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
    for (const type of types) {
      const headers = { "Content-Type": type };
      for (const mode of ["cors", "no-cors"]) {
        for (const method of ["POST", "PUT", "DELETE"]) {
          await quietly(async () => {
            const answer = await fetch(`${target}answer`, { method, mode, headers, body, credentials: "include" });
            take(`${method} ${mode}`, await answer.text());
          });
        }
      }
      await quietly(() => navigator.sendBeacon(`${target}answer`, new Blob([body], { type })));
    }
    // A form can write JSON too, if what it says is taken for text.
    const frame = element("iframe", { name: "answers" });
    const form = element("form", {
      method: "post",
      enctype: "text/plain",
      action: `${target}answer`,
      target: "answers",
    });
    const [name, value] = [`${body.slice(0, -1)},"x":"`, '"}'];
    form.append(Object.assign(document.createElement("input"), { name, value }));
    await quietly(() => form.submit());
    await quietly(() => new WebSocket(target.replace("http", "ws")));
    await quietly(() => new EventSource(`${target}item`));
    await quietly(async () => {
      const opened = window.open(target);
      await wait(400);
      take("opened window", opened?.document.body.innerText);
      opened?.close();
    });
    await wait(300);
    await quietly(() => take("form", frame.contentDocument?.body.textContent));
    return read;
  }, address);
}
