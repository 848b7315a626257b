import {
  addresses,
  Button,
  EmptyState,
  Icon,
  Link,
  MAIN_PROJECT,
  useI18n,
  useLiveQuery,
  useMe,
  useRefetch,
  useTexts,
} from "../../../console/index.ts";
import { DueMark } from "./due-mark.tsx";
import { planner, useProject } from "./planner-calls.ts";
import type { Pooled } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";
import { useWorkQueue } from "./use-work-queue.ts";
import { WORK_TEXTS } from "./work-texts.ts";

/** The best task of the pool that the member can take, with the reasons for it; or why there is none. */
export function NextTask({
  lifecycle,
  pool,
  isFree,
}: {
  lifecycle: string;
  /** Best first. */
  pool: readonly Pooled[];
  /** True if the member has no task, or has submitted it and the submission waits to be sent. */
  isFree: boolean;
}) {
  const texts = useTexts(WORK_TEXTS);
  const { entries } = useWorkQueue(lifecycle);
  const refused = new Set(entries.filter(({ refusal }) => refusal).map(({ task_id }) => task_id));
  // With a free pair of hands, only the other reasons count: the server frees the member before it reads the next action.
  const offer = pool.find((task) => !refused.has(task.id) && isSuitable(task));
  return (
    <section className="card work-card next-task" aria-label={texts.next}>
      <div className="work-body">
        <span className="soft">{texts.next}</span>
        {offer ? (
          <Offer lifecycle={lifecycle} task={offer} isFree={isFree} />
        ) : (
          <NoOffer lifecycle={lifecycle} pool={pool} />
        )}
      </div>
      {offer && isFree && <Take lifecycle={lifecycle} task={offer} />}
    </section>
  );
}

/** True if nothing but the member's own task prevents taking this one. */
function isSuitable({ can_self_assign, reasons }: Pooled): boolean {
  return can_self_assign || reasons.every(({ code }) => code === "WIP_LIMIT");
}

function Offer({ lifecycle, task, isFree }: { lifecycle: string; task: Pooled; isFree: boolean }) {
  const { f } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const { skill_level } = useMe();
  const policy = usePolicy(lifecycle, task.project_id);
  const { required_trade, priority } = task;
  const reasons = [
    required_trade === null ? texts.anyTrade : texts.yourTrade(required_trade),
    ...(policy && skill_level !== null ? [texts.skill(policy.min_skill_to_take, skill_level)] : []),
    texts.ready,
    priority === 0 ? texts.first : texts.firstByPriority(f.number(priority)),
  ];
  return (
    <div className="stack" data-offer={task.id}>
      <h2>
        <Link href={addresses.task(task.id)}>{task.title}</Link>
      </h2>
      <div className="row wrap small">
        <DueMark task={task} />
      </div>
      {isFree ? (
        <>
          {task.description && <p className="written">{task.description}</p>}
          <ul className="why" aria-label={texts.why}>
            {reasons.map((reason) => (
              <li key={reason}>
                <Icon name="check" />
                {reason}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p className="soft" data-reason="WIP_LIMIT">
          {texts.later}
        </p>
      )}
    </div>
  );
}

function Take({ lifecycle, task }: { lifecycle: string; task: Pooled }) {
  const texts = useTexts(WORK_TEXTS);
  const { move } = useWorkQueue(lifecycle);
  return (
    <div className="work-actions">
      <Button
        look="main"
        icon="hand"
        onClick={() => {
          move({ task, row_version: task.row_version }, "self_assign");
        }}
      >
        {texts.take}
      </Button>
    </div>
  );
}

/** Why no task can be taken: the reasons of the API for the first task, or an empty pool. */
function NoOffer({ lifecycle, pool }: { lifecycle: string; pool: readonly Pooled[] }) {
  const { f, n } = useI18n();
  const texts = useTexts(WORK_TEXTS);
  const { refusals } = useTexts(TEXTS);
  const { skill_level, project_ids } = useMe();
  const { project_id = project_ids?.[0] ?? MAIN_PROJECT } = useProject();
  const policy = usePolicy(lifecycle, project_id);
  const refetch = useRefetch(lifecycle);
  const [first] = pool;
  // The pool of an executor with too little skill is empty.
  const needed = policy && (skill_level ?? 0) < policy.min_skill_to_take ? policy.min_skill_to_take : null;
  const reasons = (first?.reasons ?? []).map((reason) =>
    reason.code === "NOT_YET_AVAILABLE" && first?.available_at
      ? texts.availableAt(f.moment(first.available_at))
      : (refusals[reason.code] ?? n.refusal(reason)),
  );
  return (
    <EmptyState
      compact
      icon={first || needed !== null ? "lock" : "check"}
      title={
        first ? texts.notNow : needed === null ? texts.noneFree : texts.skillTooLow(needed, skill_level ?? 0)
      }
      hint={first ? reasons.join(" ") : needed === null ? texts.noneFreeHint : texts.skillTooLowHint}
    >
      <Button icon="renew" className="check-again" onClick={() => void refetch()}>
        {texts.checkAgain}
      </Button>
    </EmptyState>
  );
}

function usePolicy(lifecycle: string, project_id: string) {
  const { data } = useLiveQuery({
    lifecycle,
    key: ["policy", project_id],
    ask: (signal) => planner.getPolicy({ id: project_id }, { signal }),
  });
  return data;
}
