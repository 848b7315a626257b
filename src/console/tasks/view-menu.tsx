import { useState } from "react";
import { IconButton, Button } from "../design/button.tsx";
import { CopyText } from "../design/copy-text.tsx";
import { Icon } from "../design/icon.tsx";
import { Menu } from "../design/menu.tsx";
import { toast } from "../design/toasts.tsx";
import { Link, useLocation } from "../router.tsx";
import type { LocalizedTexts } from "../texts/localized-texts.ts";
import { useTexts } from "../texts/use-texts.ts";
import { MAX_NAME_LENGTH, useSavedViews } from "./saved-views.ts";

type Texts = {
  views: string;
  none: string;
  name: string;
  save: string;
  saved: (name: string) => string;
  remove: (name: string) => string;
  share: string;
};

const texts: LocalizedTexts<Texts> = {
  en: {
    views: "Views",
    none: "Filter and sort the list, then save it as a view.",
    name: "Name of the view",
    save: "Save",
    saved: (name) => `The view “${name}” is saved in this browser.`,
    remove: (name) => `Delete the view “${name}”`,
    share: "Link with these filters:",
  },
  ru: {
    views: "Виды",
    none: "Отфильтруйте и отсортируйте список, затем сохраните его как вид.",
    name: "Название вида",
    save: "Сохранить",
    saved: (name) => `Вид «${name}» сохранён в этом браузере.`,
    remove: (name) => `Удалить вид «${name}»`,
    share: "Ссылка с этими фильтрами:",
  },
};

/** Saved views of a page: opens them, saves the current filters, and shows the link to share. */
export function ViewMenu() {
  const t = useTexts(texts);
  const { path, search } = useLocation();
  const { views, save, remove } = useSavedViews();
  const [name, setName] = useState("");
  const here = path + search;
  const own = views.filter(({ href }) => href.split("?")[0] === path);
  const button = (
    <>
      <Icon name="docs" /> {t.views}
    </>
  );
  return (
    <Menu label={t.views} className="button small" left button={button}>
      {(close) => (
        <div className="view-menu">
          {own.length === 0 && <p className="caption">{t.none}</p>}
          {own.map((view) => (
            <span key={view.name} className="row">
              <Link
                className="cut"
                href={view.href}
                aria-current={view.href === here ? "page" : undefined}
                onClick={close}
              >
                {view.name}
              </Link>
              <IconButton
                icon="close"
                small
                label={t.remove(view.name)}
                onClick={() => {
                  remove(view);
                }}
              />
            </span>
          ))}
          <form
            className="row"
            onSubmit={(event) => {
              event.preventDefault();
              const trimmed = name.trim();
              if (trimmed === "") return;
              save({ name: trimmed, href: here });
              toast(t.saved(trimmed));
              setName("");
              close();
            }}
          >
            <input
              className="input small"
              aria-label={t.name}
              placeholder={t.name}
              maxLength={MAX_NAME_LENGTH}
              value={name}
              onChange={(event) => {
                setName(event.target.value);
              }}
            />
            <Button small type="submit">
              {t.save}
            </Button>
          </form>
          <p className="caption">{t.share}</p>
          <CopyText text={location.origin + here} />
        </div>
      )}
    </Menu>
  );
}
