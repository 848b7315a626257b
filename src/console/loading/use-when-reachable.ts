import { useEffect, useEffectEvent } from "react";
import { whenReachable } from "./load-chunk.ts";

/** Polls while the server does not answer, and calls back once it does. */
export function useWhenReachable(unreachable: boolean, onReachable: () => void): void {
  const callBack = useEffectEvent(onReachable);
  useEffect(() => {
    if (!unreachable) return;
    const left = new AbortController();
    void whenReachable(left.signal).then((answers) => {
      if (answers) callBack();
    });
    return () => {
      left.abort();
    };
  }, [unreachable]);
}
