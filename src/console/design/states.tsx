import type { ReactNode } from "react";
import { PawlProblem } from "../data/client.ts";
import { useWhenReachable } from "../loading/use-when-reachable.ts";
import { useI18n } from "../texts/i18n.tsx";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useProblemText } from "./use-toast-on-error.ts";
import type { IconName } from "./icon.tsx";

/** Shown when there is nothing to list, with a hint. */
export function EmptyState({
  icon = "check",
  title,
  hint,
  compact = false,
  children,
}: {
  icon?: IconName;
  title: string;
  hint?: string;
  compact?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className={`state${compact ? " compact" : ""}`}>
      <span className="glyph">
        <Icon name={icon} />
      </span>
      <strong>{title}</strong>
      {hint && <p>{hint}</p>}
      {children}
    </div>
  );
}

/** Placeholder while content loads. */
export function Skeleton({ lines = 3, height = 16 }: { lines?: number; height?: number }) {
  const { t } = useI18n();
  return (
    <div className="stack" role="status" aria-label={t.common.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="bone" style={{ height, width: `${100 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** True if the server, or its database, did not answer. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof PawlProblem && (error.status === 0 || error.code === "UNAVAILABLE");
}

/** Shows an error with a retry button; retries automatically once the server answers. */
export function ErrorState({
  error,
  onRetry,
  compact = false,
}: {
  error: unknown;
  onRetry?: () => void;
  compact?: boolean;
}) {
  const { t, n } = useI18n();
  const problem = error instanceof PawlProblem ? error : null;
  const isUnreachable = isUnanswered(error);
  useWhenReachable(isUnreachable && onRetry !== undefined, () => onRetry?.());
  const isForbidden = problem?.status === 403;
  return (
    <div className={`state${compact ? " compact" : ""}`} role="alert">
      <span className="glyph">
        <Icon name={isForbidden ? "lock" : "alert"} />
      </span>
      <strong>
        {isUnreachable ? t.common.unreachable : isForbidden ? t.common.forbidden : t.common.unknownProblem}
      </strong>
      <p>{isUnreachable ? t.common.unreachableHint : problem ? n.refusal(problem) : String(error)}</p>
      {problem?.requestId && !isForbidden && (
        <p className="faint small">{t.common.requestId(problem.requestId)}</p>
      )}
      {onRetry && !isForbidden && (
        <Button small onClick={onRetry}>
          {t.common.retry}
        </Button>
      )}
    </div>
  );
}

/** Shows a refusal or an error at the place where it occurred. */
export function ProblemNote({ problem }: { problem: unknown }) {
  const { language } = useI18n();
  const textOf = useProblemText();
  const reply = problem instanceof PawlProblem && problem.status !== 0 ? problem : null;
  return (
    <div className="note" data-tone="bad" role="alert">
      <Icon name="alert" />
      <div className="stack tight">
        <span>{textOf(problem)}</span>
        {reply && (
          <span className="small soft">
            <code>{reply.code}</code> {language === "en" && reply.next}
          </span>
        )}
      </div>
    </div>
  );
}
