import { Component, Suspense } from "react";
import type { ReactNode } from "react";
import { ChunkError } from "./load-chunk.ts";

/** Error boundary around a detail that the page can do without: if it does not load or render, nothing is shown. */
export class Optional extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof ChunkError) error.forget();
  }

  override render(): ReactNode {
    return this.state.failed ? null : <Suspense fallback={null}>{this.props.children}</Suspense>;
  }
}
