import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { ProblemNote, useTexts } from "../../../console/index.ts";
import { code } from "./code-calls.ts";
import { readableLines } from "../last-line.ts";
import { TEXTS } from "./texts.ts";

/** Length of the output on the page; older text is dropped. */
const MAX_CHARACTERS = 200_000;
/** Output that arrives within this time is drawn at once. */
const DRAW_INTERVAL_MS = 120;
/** Closer to the end than this, the page follows new output. */
const NEAR_END_PX = 60;

type OutputProps = {
  id: string;
  title: string;
  /** The attempt; default: the latest. */
  run?: number | undefined;
  ended?: boolean;
};

/** The live output of a task's agent, with its JSON messages as text. */
export function Output({ id, title, run, ended = false }: OutputProps) {
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
        {text === "" ? (
          <span className="terminal-empty">{ended ? texts.outputNone : texts.outputEmpty}</span>
        ) : (
          text
        )}
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
    let unfinishedLine = "";
    let shownRun = run ?? 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    setText("");
    setProblem(null);
    const draw = () => {
      timer = undefined;
      setText(output + readableLines(unfinishedLine).join(""));
    };
    const follow = async () => {
      for await (const piece of code.streamCodeOutput({ id, after: 0 }, { signal: stop.signal })) {
        if (run !== undefined && piece.run !== run) continue;
        // The output of a new attempt replaces the old one.
        if (piece.run > shownRun) [shownRun, output, unfinishedLine] = [piece.run, "", ""];
        const text = unfinishedLine + piece.text;
        const end = text.lastIndexOf("\n") + 1;
        unfinishedLine = text.slice(end);
        const lines = readableLines(text.slice(0, end)).map((line) => `${line}\n`);
        output = (output + lines.join("")).slice(-MAX_CHARACTERS);
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
