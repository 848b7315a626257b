import type { ReactNode } from "react";
import { ErrorState, Skeleton } from "./states.tsx";

/** The part of a query's state that decides what to show. */
type QueryState<Data> = { data: Data | undefined; error: unknown; refetch: () => unknown };

/**
 * Shows the replies of queries once all have arrived: a placeholder until then, an error state if one failed.
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
  of: [...{ [Index in keyof Answers]: QueryState<Answers[Index]> }];
  placeholder?: ReactNode;
  compact?: boolean;
  children: (...answers: Answers) => ReactNode;
}): ReactNode {
  const queries = of as QueryState<unknown>[];
  const answers = queries.map(({ data }) => data);
  if (!answers.includes(undefined)) return children(...(answers as Answers));
  const failed = queries.find(({ error }) => error);
  if (!failed) return placeholder;
  const retry = () => {
    for (const one of queries) void one.refetch();
  };
  return <ErrorState compact={compact} error={failed.error} onRetry={retry} />;
}
