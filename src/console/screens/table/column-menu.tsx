import { Icon } from "../../design/icon.tsx";
import { Menu } from "../../design/menu.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import type { Column, ShownColumns } from "./columns.ts";
import { tableTexts } from "./table-texts.ts";

/** Chooses the columns of a table. */
export function ColumnMenu({ all, shown }: { all: readonly Column[]; shown: ShownColumns }) {
  const t = useTexts(tableTexts);
  const button = (
    <>
      <Icon name="table" /> {t.columns}
    </>
  );
  return (
    <Menu label={t.columns} className="button small" button={button}>
      {(close) => (
        <>
          {all
            .filter(({ id }) => id !== "title")
            .map(({ id, title }) => (
              <button
                key={id}
                type="button"
                aria-pressed={shown.isShown(id)}
                onClick={() => {
                  shown.toggle(id);
                }}
              >
                <span className="column-check">{shown.isShown(id) && <Icon name="check" />}</span>
                {title}
              </button>
            ))}
          <hr />
          <button
            type="button"
            onClick={() => {
              shown.reset();
              close();
            }}
          >
            <Icon name="renew" />
            {t.resetColumns}
          </button>
        </>
      )}
    </Menu>
  );
}
