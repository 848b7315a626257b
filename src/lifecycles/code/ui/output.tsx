import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { ProblemNote, useTexts } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import { TEXTS } from "./texts.ts";

/** So much of what was said is kept on the page. */
const KEPT_CHARACTERS = 200_000;
/** A burst is drawn once. */
const DRAW_EVERY_MS = 120;
const NEAR_PX = 60;

/** What a task's agent says, as it says it. Of one attempt, or of the latest. */
export function Output({ id, title, run }: { id: string; title: string; run?: number | undefined }) {
  const texts = useTexts(TEXTS);
  const { text, problem } = useOutput(id, run);
  const place = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = place.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [text]);
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} />}
      <pre
        ref={place}
        className="terminal"
        tabIndex={0}
        role="log"
        aria-label={texts.outputOf(title)}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
        }}
      >
        {text === "" ? <span className="terminal-empty">{texts.outputEmpty}</span> : text}
      </pre>
    </>
  );
}

function useOutput(id: string, run: number | undefined): { text: string; problem: unknown } {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    let said = "";
    let shownRun = run ?? 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setText("");
    setProblem(null);
    const draw = () => {
      timer = undefined;
      setText(said);
    };
    const follow = async () => {
      for await (const piece of code.streamCodeOutput({ id, after: 0 }, { signal: stop.signal })) {
        if (run !== undefined && piece.run !== run) continue;
        // A new attempt begins on a clean page.
        if (piece.run > shownRun) [shownRun, said] = [piece.run, ""];
        said = (said + plain(piece.text)).slice(-KEPT_CHARACTERS);
        timer ??= setTimeout(draw, DRAW_EVERY_MS);
      }
    };
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) setProblem(error);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, run]);
  return { text, problem };
}

/** Without the colours of a terminal: they are orders to a screen, and no words. */
function plain(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}
