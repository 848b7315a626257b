import { createElement, useState } from "react";
import { Button, client, defineScreens, LifecycleHead, useI18n, useTexts } from "pawl/console";

const TEXTS = {
  en: { title: "Pieces in stock", ask: "Ask" },
  ru: { title: "Штук на складе", ask: "Спросить" },
};

function Stock({ lifecycle }) {
  const texts = useTexts(TEXTS);
  const { language, n } = useI18n();
  const [pieces, setPieces] = useState(null);
  const ask = async () => {
    const response = await fetch("/api/shop/stock/lamp");
    setPieces((await response.json()).pieces);
  };
  return createElement(
    "div",
    null,
    createElement(LifecycleHead, { lifecycle }),
    createElement("h2", null, texts.title),
    createElement("p", { id: "facts" }, `${language} ${n.action("pack")} ${typeof client.createTask}`),
    createElement(Button, { onClick: () => void ask() }, texts.ask),
    pieces !== null && createElement("p", { id: "pieces" }, String(pieces)),
  );
}

function Panel({ task }) {
  return createElement("section", { className: "shop-panel" }, `Parcel of ${task.data.item}`);
}

export default defineScreens({
  tabs: { stock: () => Promise.resolve({ default: Stock }) },
  panel: () => Promise.resolve({ default: Panel }),
});
