import { cut, oneLine, shortId } from "../../../plugin/index.ts";
import type { Screen } from "../../../plugin/index.ts";
import type { RunView } from "./run-view.ts";

/** Actions of keys on tasks. Each returns a sentence for the screen. */
export type TaskControls = {
  diff: (id: string, worktree: string | null) => Promise<string[]>;
  stop: (id: string) => Promise<string>;
  retry: (id: string) => Promise<string>;
};

type Pager = { title: string; lines: () => readonly string[]; top: number; follows: boolean };

const KEYS = "↑↓ select · l log · d diff · s stop · r retry · ? help · q quit";
const PAGER_KEYS = "↑↓ PgUp PgDn scroll · g start · G end · q back";

/** How long a message replaces the list of keys. */
const MESSAGE_MS = 10_000;

const HELP = [
  "↑ ↓     select a task",
  "l       log of the selected task (Enter does the same)",
  "d       its changes so far",
  "s       stop its agent and pause the task; asks first",
  "r       retry a failed task, or resume a stopped one",
  "?       this help",
  "q       quit, as Ctrl-C: agents may finish; again to stop them now",
  "",
  "s needs the project setting operator_controls.",
];

/** Keys of the live view: selects tasks, and shows logs, changes and help over it. */
export class RunControls {
  private readonly view: RunView;
  private readonly controls: TaskControls;
  private readonly quit: () => void;
  private pager: Pager | null = null;
  private question: { text: string; yes: () => void } | null = null;
  private message = "";
  private shown = { message: "", since: 0 };
  private pageSize = 10;

  constructor(view: RunView, controls: TaskControls, quit: () => void) {
    this.view = view;
    this.controls = controls;
    this.quit = quit;
  }

  /** Handles a key, by the name that Node's `readline` gives it, or by its character. */
  press(key: string): void {
    if (key === "ctrl-c") this.quit();
    else if (this.question) this.answer(key);
    else if (this.pager) this.scroll(this.pager, key);
    else this.choose(key);
  }

  frame(screen: Screen, now: number): string[] {
    if (this.pager) return this.pagerFrame(this.pager, screen);
    const ids = this.view.shown().map(({ id }) => id);
    if (!ids.includes(this.view.selected ?? "")) this.view.selected = ids[0] ?? null;
    this.expireMessage(now);
    this.view.footer = this.question?.text ?? (this.message || shortKeys(screen.columns));
    return this.view.frame(screen, now);
  }

  private expireMessage(now: number): void {
    if (this.message !== this.shown.message) this.shown = { message: this.message, since: now };
    if (now - this.shown.since >= MESSAGE_MS) this.message = "";
  }

  private choose(key: string): void {
    this.message = "";
    if (key === "q") this.quit();
    else if (key === "?" || key === "h") this.open("Keys", () => HELP);
    else this.chooseTask(key);
  }

  private chooseTask(key: string): void {
    const shown = this.view.shown();
    const at = Math.max(
      0,
      shown.findIndex(({ id }) => id === this.view.selected),
    );
    const step = key === "up" || key === "k" ? -1 : key === "down" || key === "j" ? 1 : 0;
    if (step !== 0)
      this.view.selected = shown[Math.min(shown.length - 1, Math.max(0, at + step))]?.id ?? null;
    const task = shown[at];
    if (step !== 0) return;
    if (!task && ["l", "d", "s", "r", "return"].includes(key)) this.message = "No task is selected.";
    if (task) this.actOn(task, key);
  }

  private actOn({ id, atWork, worktree }: ReturnType<RunView["shown"]>[number], key: string): void {
    if (key === "l" || key === "return") {
      const lines = () => (this.view.logOf(id).length === 0 ? ["No output yet."] : this.view.logOf(id));
      this.open(`Log of ${shortId(id)}`, lines, true);
    } else if (key === "d") this.openDiff(id, worktree);
    else if (key === "r") this.report(this.controls.retry(id));
    else if (key === "s" && !atWork) this.message = "No agent is at work on this task.";
    else if (key === "s")
      this.question = {
        text: `Stop the agent of ${shortId(id)} and pause the task? y/n`,
        yes: () => {
          this.report(this.controls.stop(id));
        },
      };
  }

  private openDiff(id: string, worktree: string | null): void {
    let lines: readonly string[] = ["Reading …"];
    this.open(`Changes of ${shortId(id)}`, () => lines);
    this.controls.diff(id, worktree).then(
      (read) => (lines = read.length === 0 ? ["No changes yet."] : read),
      (error: unknown) => (lines = [(error as Error).message]),
    );
  }

  private report(result: Promise<string>): void {
    this.message = "…";
    result.then(
      (text) => (this.message = oneLine(text)),
      (error: unknown) => (this.message = oneLine((error as Error).message)),
    );
  }

  private answer(key: string): void {
    const { question } = this;
    this.question = null;
    if (key === "y") question?.yes();
  }

  private open(title: string, lines: Pager["lines"], follows = false): void {
    this.pager = { title, lines, top: 0, follows };
  }

  private scroll(pager: Pager, key: string): void {
    const step = {
      up: -1,
      k: -1,
      down: 1,
      j: 1,
      pageup: -this.pageSize,
      pagedown: this.pageSize,
      space: this.pageSize,
    }[key];
    const last = Math.max(0, pager.lines().length - this.pageSize);
    if (["q", "escape", "l", "d", "?", "left", "return"].includes(key)) this.pager = null;
    else if (key === "g" || key === "home") Object.assign(pager, { top: 0, follows: false });
    else if (key === "G" || key === "end") Object.assign(pager, { top: last, follows: true });
    else if (step !== undefined) {
      const from = pager.follows ? last : pager.top;
      pager.top = Math.min(last, Math.max(0, from + step));
      pager.follows = pager.follows && pager.top === last;
    }
  }

  private pagerFrame(pager: Pager, { columns, rows, colours }: Screen): string[] {
    this.pageSize = Math.max(1, rows - 3);
    const lines = pager.lines();
    const last = Math.max(0, lines.length - this.pageSize);
    const top = pager.follows ? last : Math.min(pager.top, last);
    const body = lines.slice(top, top + this.pageSize).map((line) => cut(line, columns));
    const range = `${top + 1}–${top + body.length} of ${lines.length}`;
    const padding = Array.from({ length: this.pageSize - body.length }, () => "");
    return [
      colours.bold(cut(`${pager.title}  ${range}`, columns)),
      ...body,
      ...padding,
      colours.dim(cut(PAGER_KEYS, columns)),
    ];
  }
}

/** On a narrow screen only the keys for help and quit. */
function shortKeys(columns: number): string {
  return columns > KEYS.length ? KEYS : "? help · q quit";
}
