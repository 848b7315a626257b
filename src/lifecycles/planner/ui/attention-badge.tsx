import { useI18n, useLiveQuery, useTexts } from "../../../console/index.ts";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { ATTENTION_POLL_MS, planner, useProject, useReadsAttention } from "./planner-calls.ts";

/** The number of items that need a lead, beside the title of their tab. */
export default function AttentionBadge({ lifecycle }: { lifecycle: string }) {
  const { f } = useI18n();
  const texts = useTexts(LEAD_TEXTS);
  const project = useProject();
  const { data } = useLiveQuery({
    lifecycle,
    key: ["attention", "count", project],
    ask: (signal) => planner.getPlannerAttention({ ...project, limit: 1 }, { signal }),
    everyMs: ATTENTION_POLL_MS,
    enabled: useReadsAttention(),
  });
  const count = (data?.groups ?? []).reduce((sum, group) => sum + group.count, 0);
  if (count === 0) return null;
  return (
    <span className="badge" data-tone="warn" title={texts.needed(f.number(count))}>
      {f.short(count)}
    </span>
  );
}
