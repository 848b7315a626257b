import type { ReactNode } from "react";
import { ErrorState, Skeleton } from "./states.tsx";

/** The part of a query's state that says what to show. */
type Asked<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown };

/**
 * Shows the answers of queries once all are there: an error state in their place if one failed, a placeholder until then.
 *
 * ```tsx
 * <Loaded of={[pool, mine]}>{(pool, mine) => <Floor pool={pool.tasks} mine={mine.tasks} />}</Loaded>
 * ```
 */
export function Loaded<Answers extends unknown[]>({
  of,
  placeholder = (
    <div className="card body">
      <Skeleton lines={7} height={28} />
    </div>
  ),
  compact = false,
  children,
}: {
  of: [...{ [Place in keyof Answers]: Asked<Answers[Place]> }];
  placeholder?: ReactNode;
  compact?: boolean;
  children: (...answers: Answers) => ReactNode;
}): ReactNode {
  const asked = of as Asked<unknown>[];
  const answers = asked.map(({ data }) => data);
  if (!answers.includes(undefined)) return children(...(answers as Answers));
  const failed = asked.find(({ error }) => error);
  if (!failed) return placeholder;
  const retry = () => {
    for (const one of asked) void one.refetch();
  };
  return <ErrorState compact={compact} error={failed.error} onRetry={retry} />;
}
