import { useState } from "react";
import {
  Button,
  EmptyState,
  LifecycleHead,
  Person,
  ProjectPicker,
  addresses,
  Link,
  ListCard,
  Loaded,
  StatusChip,
  useI18n,
  useLiveQuery,
  useNow,
  useTexts,
} from "../../../console/index.ts";
import { AttentionActions } from "./attention-actions.tsx";
import { LEAD_TEXTS } from "./lead-texts.ts";
import { ATTENTION_POLL_MS, planner, useIsLead, useProject, useReadsAttention } from "./planner-calls.ts";
import type { AttentionGroup, AttentionItem } from "./planner-calls.ts";
import { TaskLine } from "./task-line.tsx";
import { TEXTS } from "./texts.ts";
import "./planner.css";

const FIRST_PAGE = 20;
const MAX_ITEMS = 100;

/** Everything that needs a lead, by kind, with the actions in place. */
export default function AttentionScreen({ lifecycle }: { lifecycle: string }) {
  const texts = useTexts(LEAD_TEXTS);
  const project = useProject();
  const mayRead = useReadsAttention();
  const [limit, setLimit] = useState(FIRST_PAGE);
  const attention = useLiveQuery({
    lifecycle,
    key: ["attention", project, limit],
    ask: (signal) => planner.getPlannerAttention({ ...project, limit }, { signal }),
    everyMs: ATTENTION_POLL_MS,
    enabled: mayRead,
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      {mayRead ? (
        <Loaded of={[attention]}>
          {({ groups }) =>
            groups.every(({ count }) => count === 0) ? (
              <EmptyState icon="check" title={texts.allClear} hint={texts.allClearHint} />
            ) : (
              <div className="floor">
                {withItemsFirst(groups).map((group) => (
                  <Group
                    key={group.kind}
                    lifecycle={lifecycle}
                    group={group}
                    onMore={() => {
                      setLimit(MAX_ITEMS);
                    }}
                  />
                ))}
              </div>
            )
          }
        </Loaded>
      ) : (
        <EmptyState icon="lock" title={texts.notForYou} hint={texts.notForYouHint} />
      )}
    </>
  );
}

/** Sorts the kinds without items to the end. */
function withItemsFirst(groups: readonly AttentionGroup[]): AttentionGroup[] {
  return groups.toSorted((a, b) => Number(a.count === 0) - Number(b.count === 0));
}

function Group({
  lifecycle,
  group: { kind, count, items },
  onMore,
}: {
  lifecycle: string;
  group: AttentionGroup;
  onMore: () => void;
}) {
  const texts = useTexts(LEAD_TEXTS);
  const isLead = useIsLead();
  const next = Math.min(count, MAX_ITEMS) - items.length;
  return (
    <ListCard
      title={texts.kinds[kind]}
      count={count}
      {...(kind === "review" ? {} : { tone: "warn" as const })}
      empty={texts.none[kind]}
    >
      {items.map((item) => (
        <li key={item.id} data-item={item.id} data-task={item.task.id}>
          <Item lifecycle={lifecycle} item={item} />
          {isLead && <AttentionActions lifecycle={lifecycle} item={item} />}
        </li>
      ))}
      {next > 0 && (
        <li>
          <Button small look="quiet" onClick={onMore}>
            {texts.more(next)}
          </Button>
        </li>
      )}
      {next <= 0 && count > items.length && (
        <li className="faint small">{texts.oldest(items.length, count)}</li>
      )}
    </ListCard>
  );
}

/** A task with the reason why it needs the lead, and since when. */
function Item({ lifecycle, item }: { lifecycle: string; item: AttentionItem }) {
  const { f } = useI18n();
  const texts = useTexts(LEAD_TEXTS);
  const now = useNow(10);
  const { task, by, since, text, blocker } = item;
  const isAboutDue = item.kind === "late" || item.kind === "will_be_late";
  return (
    <>
      <TaskLine task={task}>
        {item.kind !== "review" && <StatusChip lifecycle={lifecycle} status={task.status} />}
      </TaskLine>
      <div className="call">
        <div className="row wrap small">
          <Reason item={item} />
          {item.kind === "late" && (
            <span className="chip plain" data-tone="bad">
              {texts.lateBy(f.span((now - Date.parse(since)) / 1_000))}
            </span>
          )}
          {item.ready_at !== null && (
            <span className="chip plain" data-tone="warn">
              {texts.readyAt(f.moment(item.ready_at))}
            </span>
          )}
          {by !== null && <Person id={by} />}
          {blocker && (
            <span>
              {texts.waitsFor} <Link href={addresses.task(blocker.id)}>{blocker.title}</Link>
            </span>
          )}
          <span className="faint num" title={f.moment(since)}>
            {isAboutDue ? texts.due(f.moment(since)) : f.ago(since, now)}
          </span>
        </div>
        {text !== null && <p>{text}</p>}
      </div>
    </>
  );
}

function Reason({ item: { kind, reason } }: { item: AttentionItem }) {
  const texts = useTexts(LEAD_TEXTS);
  const { reasons } = useTexts(TEXTS);
  if (reason === null || kind === "blocked") return null;
  const names: Readonly<Record<string, string>> = kind === "held" ? texts.holds : reasons;
  return (
    <span className="chip plain" data-tone="warn">
      {names[reason] ?? reason}
    </span>
  );
}
