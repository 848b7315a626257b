import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { ProblemNote, useTexts } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import { TEXTS } from "./texts.ts";

/** Length of the output on the page; older text is dropped. */
const MAX_CHARACTERS = 200_000;
/** Output that arrives within this time is drawn at once. */
const DRAW_INTERVAL_MS = 120;
/** Closer to the end than this, the page follows new output. */
const NEAR_END_PX = 60;

/** The live output of a task's agent: of one attempt, or of the latest. */
export function Output({ id, title, run }: { id: string; title: string; run?: number | undefined }) {
  const texts = useTexts(TEXTS);
  const { text, problem } = useOutput(id, run);
  const terminal = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const element = terminal.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [text]);
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} />}
      <pre
        ref={terminal}
        className="terminal"
        tabIndex={0}
        role="log"
        aria-label={texts.outputOf(title)}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
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
    let output = "";
    let shownRun = run ?? 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setText("");
    setProblem(null);
    const draw = () => {
      timer = undefined;
      setText(output);
    };
    const follow = async () => {
      for await (const piece of code.streamCodeOutput({ id, after: 0 }, { signal: stop.signal })) {
        if (run !== undefined && piece.run !== run) continue;
        // The output of a new attempt replaces the old one.
        if (piece.run > shownRun) [shownRun, output] = [piece.run, ""];
        output = (output + plain(piece.text)).slice(-MAX_CHARACTERS);
        timer ??= setTimeout(draw, DRAW_INTERVAL_MS);
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

/** Removes terminal control sequences, such as colors. */
function plain(text: string): string {
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "");
}
