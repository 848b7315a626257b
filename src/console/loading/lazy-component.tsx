import { use } from "react";
import type { ComponentType } from "react";
import { loadChunk } from "./load-chunk.ts";

/**
 * A component in its own chunk, loaded at its first render. React's `lazy` caches a failed load forever; this one loads
 * again after a Boundary has shown the failure.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  let loading: Promise<{ default: ComponentType<Props> }> | undefined;
  const forget = () => {
    loading = undefined;
  };
  return function Lazy(props: Props) {
    const { default: Loaded } = use((loading ??= loadChunk(load, forget)));
    return <Loaded {...props} />;
  };
}
