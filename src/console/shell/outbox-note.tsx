import { useOutbox } from "../data/use-outbox.tsx";
import { Icon } from "../design/icon.tsx";
import { Link, useLocation } from "../router.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { OUTBOX_TEXTS } from "./outbox-texts.ts";

/** On other pages than the one where they were queued: how many actions wait or were refused. */
export function OutboxNote() {
  const texts = useTexts(OUTBOX_TEXTS);
  const { path } = useLocation();
  const { entries } = useOutbox();
  const elsewhere = entries.filter(({ page }) => page.split("?")[0] !== path);
  const refused = elsewhere.filter(({ refusal }) => refusal !== null);
  const [first] = refused.length > 0 ? refused : elsewhere;
  if (!first) return null;
  return (
    <div className="stale" role="status">
      <Icon name={refused.length > 0 ? "alert" : "clock"} />
      {refused.length > 0 ? texts.refused(refused.length) : texts.waiting(elsewhere.length)}
      <Link href={first.page}>{texts.show}</Link>
    </div>
  );
}
