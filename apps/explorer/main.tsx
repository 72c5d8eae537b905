// Where the page begins.

import { render } from "preact";
import { App } from "./app.js";
import "./style.css";

const place = document.getElementById("app") as HTMLElement;
place.replaceChildren();
render(<App />, place);

// A page that this machine serves itself needs no copy.
if (isSecureContext && !/^(127\.|localhost$|\[::1\])/.test(location.hostname) && "serviceWorker" in navigator) {
  // What the view needs is fetched before what is kept for later.
  addEventListener("load", () => void navigator.serviceWorker.register("offline.js"));
}
