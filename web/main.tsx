// Where the page begins.

import { render } from "preact";
import { App } from "./app.js";
import "./style.css";

const place = document.getElementById("app") as HTMLElement;
place.replaceChildren();
render(<App />, place);
