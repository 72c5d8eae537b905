// The page around the views: name, navigation, opening a model, light and dark, and what went wrong.

import { useEffect, useState } from "preact/hooks";
import { formatAddress } from "./address.js";
import { type View, views } from "./catalogue.js";
import { useAddress } from "./hooks.js";
import { type OfferedModel, offeredModels, openFile } from "./models.js";
import { FileButton, Trouble, type ViewProps } from "./parts/common.js";
import { switchTheme, useDark } from "./theme.js";
import { CompareView } from "./views/compare.js";
import { DecipherView } from "./views/decipher/decipher.js";
import { LearnView } from "./views/learn.js";
import { PronounceView } from "./views/pronounce.js";
import { ReadView } from "./views/read/read.js";
import { SegmentView } from "./views/segment.js";
import { TagView } from "./views/tag.js";
import { TrustView } from "./views/trust/trust.js";

const shown: Record<View, { title: string; View: (props: ViewProps) => preact.JSX.Element | null }> = {
  read: { title: "Read", View: ReadView },
  pronounce: { title: "Pronounce", View: PronounceView },
  tag: { title: "Tag", View: TagView },
  segment: { title: "Segment", View: SegmentView },
  decipher: { title: "Decipher", View: DecipherView },
  compare: { title: "Compare", View: CompareView },
  trust: { title: "Trust", View: TrustView },
  learn: { title: "Learn", View: LearnView },
};

export function App() {
  const [{ view, params }, change] = useAddress();
  const [models, setModels] = useState<OfferedModel[]>([]);
  const [ready, setReady] = useState(false);
  const [trouble, setTrouble] = useState<{ message: string; hint?: string }>();
  const [said, setSaid] = useState("");

  useEffect(() => {
    offeredModels().then((found) => {
      setModels((opened) => [...opened, ...found]);
      setReady(true);
    }, setTrouble);
  }, []);
  useEffect(() => {
    document.title = `${shown[view].title} · Stargram explorer`;
    setTrouble(undefined);
  }, [view]);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(""), 6000); // ms
    return () => clearTimeout(timer);
  }, [said]);

  const add = (model: OfferedModel): void => setModels((now) => [model, ...now.filter(({ id }) => id !== model.id)]);
  const open = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setTrouble(undefined);
    try {
      const model = await openFile(file);
      add(model);
      setSaid(`${model.name} is open.`);
      change({ model: model.id }, model.view ?? "trust");
    } catch (error) {
      setTrouble(error as Error);
    }
  };

  const [dropped, setDropped] = useState<File>();
  const over = useDroppedFile((file) => {
    if (!file || !isData(file.name)) return void open(file);
    setDropped(file);
    change({}, "learn");
  });
  const { View } = shown[view];
  const usable =
    view === "compare" || view === "trust" || view === "learn" ? models : models.filter((model) => model.view === view);
  return (
    <div class={`page ${over ? "over" : ""}`}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <TopBar view={view} onOpen={(file) => void open(file)} onSaid={setSaid} />
      <main id="main" tabIndex={-1}>
        <Trouble error={trouble} />
        <p class="said" role="status">
          {said}
        </p>
        <View key={view} models={usable} onModel={add} {...{ ready, params, change, dropped }} />
      </main>
      <Footer />
    </div>
  );
}

/** Whether a file is something to learn from, by its name; everything else may be a model. */
function isData(name: string): boolean {
  return /\.(txt|tsv|csv|conllu?|iob2?|bio|jsonl|crfsuite)$/i.test(name);
}

function Footer() {
  return (
    <footer class="soft small">
      <p>Everything here is computed in your browser; nothing you type or open leaves it.</p>
      <p>
        <a href="models/SOURCES.txt">Where the data comes from</a>
        <a href="licences.md">Software inside</a>
      </p>
    </footer>
  );
}

/** Name, views, opening a model, light and dark. */
function TopBar(props: { view: View; onOpen: (file: File) => void; onSaid: (text: string) => void }) {
  const { view, onOpen, onSaid } = props;
  const dark = useDark();
  return (
    <header class="top">
      <a class="brand" href={formatAddress("read", {})}>
        <span class="star" aria-hidden="true">
          ⋆
        </span>
        Stargram
      </a>
      <nav aria-label="Views">
        {views.map((name) => (
          <a key={name} href={formatAddress(name, {})} aria-current={name === view ? "page" : undefined}>
            {shown[name].title}
          </a>
        ))}
      </nav>
      <div class="tools">
        <button
          type="button"
          class="quiet"
          onClick={() =>
            navigator.clipboard.writeText(location.href).then(
              () => onSaid("Link copied. It shows what you see now, except for files that you opened."),
              () => onSaid("The browser did not allow copying. Copy the address from the address bar."),
            )
          }
        >
          Copy link
        </button>
        <FileButton text="Open a model" label="Model file" quiet onFile={onOpen} />
        <button
          type="button"
          class="quiet icon"
          aria-label={dark ? "Light colours" : "Dark colours"}
          onClick={switchTheme}
        >
          {dark ? "☀" : "☾"}
        </button>
      </div>
    </header>
  );
}

/** A file may be dropped anywhere; true while one is held over the page. */
function useDroppedFile(onFile: (file: File | undefined) => void): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const listeners: Record<string, (event: DragEvent) => void> = {
      dragover: (event) => {
        event.preventDefault();
        setOver(true);
      },
      dragleave: () => setOver(false),
      drop: (event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer?.files[0]);
      },
    };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) removeEventListener(name, listener as EventListener);
    };
  }, []);
  return over;
}
