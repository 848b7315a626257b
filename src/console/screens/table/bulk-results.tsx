import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Icon } from "../../design/icon.tsx";
import { useStatusLabel } from "../../design/status.tsx";
import { useI18n } from "../../texts/i18n.tsx";
import type { MoveResult } from "./move-all.ts";

/** The result for each task of a bulk action. */
export function BulkResults({
  lifecycle,
  results,
  onClose,
}: {
  lifecycle: string;
  results: readonly MoveResult[];
  onClose: () => void;
}) {
  const { t } = useI18n();
  const label = useStatusLabel(lifecycle);
  const done = results.filter((result) => "moved" in result).length;
  return (
    <Dialog
      wide
      title={t.table.results}
      lead={t.table.summary(done, results.length - done)}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose}>
          {t.common.close}
        </Button>
      }
    >
      <ul className="results">
        {results.map((result) => (
          <li key={result.task.id} data-tone={"moved" in result ? "good" : "bad"}>
            <Icon name={"moved" in result ? "check" : "alert"} />
            <span className="cut">{result.task.title}</span>
            <span className="small soft">
              {"moved" in result ? t.table.resultDone(label(result.moved.status)) : result.detail}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
