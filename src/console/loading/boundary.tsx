import { Component, Suspense, useContext } from "react";
import type { ReactNode } from "react";
import { QueryClientContext } from "@tanstack/react-query";
import { Button } from "../design/button.tsx";
import { Icon } from "../design/icon.tsx";
import { useI18n } from "../texts/i18n.tsx";
import { ChunkError } from "./load-chunk.ts";
import { LOADING_TEXTS } from "./texts.ts";
import { useWhenReachable } from "./use-when-reachable.ts";

type Props = {
  /** Shown while a chunk loads. */
  placeholder?: ReactNode;
  /** The part of the page inside; default "screen". */
  around?: "page" | "screen" | "part";
  children: ReactNode;
};

/** Error boundary: a part that does not load or render is replaced by an error state; the rest of the page stays. */
export class Boundary extends Component<Props, { failure: { error: unknown } | null }> {
  override state = { failure: null as { error: unknown } | null };

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof ChunkError) error.forget();
  }

  override render(): ReactNode {
    const { placeholder = null, around = "screen", children } = this.props;
    const { failure } = this.state;
    if (!failure) return <Suspense fallback={placeholder}>{children}</Suspense>;
    const state = (
      <ErrorState
        error={failure.error}
        compact={around === "part"}
        onRetry={() => {
          this.setState({ failure: null });
        }}
      />
    );
    return around === "page" ? <main className="lone-state">{state}</main> : state;
  }
}

function ErrorState({ error, compact, onRetry }: { error: unknown; compact: boolean; onRetry: () => void }) {
  const { t, language } = useI18n();
  const texts = LOADING_TEXTS[language];
  const queryClient = useContext(QueryClientContext);
  const problem = error instanceof ChunkError ? error.problem : "broken";
  const waits = problem === "unreachable";
  useWhenReachable(waits, onRetry);
  const retry = () => {
    // Fetch data again that nothing else shows: it may be the cause.
    queryClient?.removeQueries({ type: "inactive" });
    onRetry();
  };
  const { title, hint } = texts[problem];
  return (
    <div className={`state${compact ? " compact" : ""}`} role="alert" data-failure={problem}>
      <span className="glyph">
        <Icon name={problem === "new_version" ? "renew" : "alert"} />
      </span>
      <strong>{title}</strong>
      <p>{hint}</p>
      {problem === "broken" && <code className="faint small">{String(error)}</code>}
      <div className="row wrap">
        {problem !== "new_version" && (
          <Button small={compact} onClick={retry}>
            {t.common.retry}
          </Button>
        )}
        {!waits && (
          <Button look="main" small={compact} onClick={reload}>
            {texts.reload}
          </Button>
        )}
      </div>
    </div>
  );
}

function reload(): void {
  location.reload();
}
