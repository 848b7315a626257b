import { useState } from "react";
import { AskDialog, Button, ListCard, useLiveQuery, useRefetch, useTexts } from "../../../console/index.ts";
import type { ReplyOf } from "../../../api/index.ts";
import type { PLANNER_ROUTES } from "../api.ts";
import { MAX_ROWS, POLL_INTERVAL_MS, planner, useProject } from "./planner-calls.ts";
import { SHIFT_TEXTS } from "./shift-texts.ts";

type Pattern = ReplyOf<(typeof PLANNER_ROUTES)["getShiftPattern"]>;

/** The recurring patterns that have not ended; hidden if there are none. */
export function PatternList({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(SHIFT_TEXTS);
  const refetch = useRefetch(lifecycle);
  const project = useProject();
  const [ending, setEnding] = useState<Pattern | null>(null);
  const { data } = useLiveQuery({
    lifecycle,
    key: ["patterns", project],
    ask: (signal) => planner.listShiftPatterns({ ...project, limit: MAX_ROWS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const patterns = data?.patterns ?? [];
  if (patterns.length === 0) return null;
  return (
    <ListCard title={texts.patterns} count={patterns.length} empty="">
      {patterns.map((pattern) => (
        <li key={pattern.id} data-pattern={pattern.id}>
          <div className="row wrap">
            <b>{pattern.name}</b>
            <span className="num">
              {pattern.starts}–{pattern.ends}
            </span>
            <span className="faint small">
              {pattern.weekdays === null
                ? `${pattern.days_on ?? 0}/${pattern.days_off ?? 0}`
                : pattern.weekdays.map((day) => texts.days[day]).join(" ")}
              {" · "}
              {pattern.time_zone}
            </span>
            <span className="push" />
            <Button
              small
              onClick={() => {
                setEnding(pattern);
              }}
            >
              {texts.endPattern}
            </Button>
          </div>
        </li>
      ))}
      {ending && (
        <AskDialog
          form={`end-pattern/${ending.id}`}
          title={`${texts.endPattern}: ${ending.name}`}
          lead={texts.endPatternHint}
          questions={[]}
          submit={texts.endPattern}
          danger
          perform={async () => {
            await planner.endShiftPattern({ id: ending.id });
            await refetch();
          }}
          onClose={() => {
            setEnding(null);
          }}
        />
      )}
    </ListCard>
  );
}
