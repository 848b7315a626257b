// node --import tsx scripts/draw-code-run.ts: runs `pawl code run` on a temporary repository in a real terminal (util-linux
// `script`) and writes a picture of the screen midway to src/lifecycles/code/terminal-view.svg.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const [COLUMNS, ROWS] = [100, 22];
const BIN = fileURLToPath(new URL("../src/main/bin.ts", import.meta.url));
const PAWL = [process.execPath, "--import", import.meta.resolve("tsx"), BIN];
const PICTURE = fileURLToPath(new URL("../src/lifecycles/code/terminal-view.svg", import.meta.url));

const COLOURS: Readonly<Record<string, string>> = { 31: "red", 32: "green", 33: "yellow", 36: "cyan" };

const TASKS = `
- {ref: parser, title: Write a parser for price lists}
- {ref: printer, title: Print a price list as a table}
- {ref: rounding, title: Round prices by the customer's currency}
- {ref: command, title: "Add a command: shop prices FILE", after: [parser, printer]}
- {ref: docs, title: Describe the command in the README, after: command}
- {ref: empty, title: Accept an empty list, after: parser}
- {ref: sums, title: Show sums below the table, after: [printer, rounding]}
- {title: Release 2.1, after: [docs, empty, sums]}
`;

const AGENT = `#!/bin/sh
emit() { printf '{"type":"assistant","message":{"content":[{"type":"%s"}]}}\\n' "$1"; sleep 0.$((RANDOM % 5 + 4)); }
n=$(echo "$PAWL_TASK_ID" | cksum | cut -c1-2)
emit 'text","text":"First I read the existing code'
emit 'tool_use","name":"Read","input":{"file_path":"src/prices.ts"},"x":"'
sleep 1.$((n % 10))
emit 'tool_use","name":"Edit","input":{"file_path":"src/prices.ts"},"x":"'
sleep 0.$((n % 7 + 1))
emit 'tool_use","name":"Bash","input":{"command":"npm test"},"x":"'
echo "$PAWL_TASK_ID" > "work-$PAWL_TASK_ID"
if [ "$n" -gt 60 ] && [ "$PAWL_RUN" -lt 4 ]; then echo "2 tests failed"; exit 1; fi
emit 'text","text":"All tests pass'
`;

const folder = mkdtempSync(join(tmpdir(), "pawl-picture-"));
const repo = join(folder, "shop");
const git = (...args: string[]) => execFileSync("git", ["-C", repo, ...args], { stdio: "pipe" });
execFileSync("git", ["init", "--quiet", "--initial-branch=main", repo]);
git("config", "user.name", "Ann");
git("config", "user.email", "ann@example.org");
git("commit", "--quiet", "--allow-empty", "-m", "first");
writeFileSync(join(folder, "tasks.yaml"), TASKS);
writeFileSync(join(folder, "agent"), AGENT.replace("#!/bin/sh", "#!/bin/bash"), { mode: 0o755 });

const [node = "", ...args] = PAWL;
const server = spawn(node, [...args, "start", "--port", "0"], {
  cwd: folder,
  env: { ...process.env, PAWL_LOG_LEVEL: "warn" },
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  await once(server.stdout, "data");
  execFileSync(node, [...args, "code", "add", "--file", "tasks.yaml"], { cwd: folder });
  const run = [
    ...PAWL,
    "code",
    "run",
    "--repo",
    "shop",
    "--workers",
    "3",
    "--agent",
    "./agent",
    "--until-done",
  ];
  const shown = await inTerminal(run.map((word) => `'${word}'`).join(" "));
  const frames = shown.split("\u001b[H").slice(1);
  writeFileSync(PICTURE, svgOf(bestOf(frames).replaceAll(folder, "~")));
  console.log(`wrote ${PICTURE}`);
} finally {
  server.kill("SIGTERM");
  await once(server, "exit");
  rmSync(folder, { recursive: true, force: true });
}

async function inTerminal(command: string): Promise<string> {
  const sized = `stty cols ${COLUMNS} rows ${ROWS}; ${command}`;
  const child = spawn("script", ["--quiet", "--flush", "--return", "--command", sized, "/dev/null"], {
    cwd: folder,
    env: { ...process.env, TERM: "xterm-256color", FORCE_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text));
  await once(child, "close");
  return shown;
}

/** Picks the frame that shows the most: agents at work, and finished tasks. */
function bestOf(frames: readonly string[]): string {
  const score = (frame: string) =>
    (frame.match(/working|merging/g) ?? []).length * 3 + (frame.match(/✓|↻/g) ?? []).length;
  return frames.reduce((best, frame) => (score(frame) > score(best) ? frame : best), "");
}

/** Draws the lines of a terminal: bold, dim, and the colours that Pawl uses. */
function svgOf(frame: string): string {
  const lines = (frame.split("\u001b[J")[0] ?? "")
    .split("\r\n")
    .map((line) => line.replaceAll("\u001b[K", ""));
  const [wide, high] = [COLUMNS * 8.4 + 32, lines.length * 19 + 58];
  const text = lines.map((line, n) => `<text x="16" y="${n * 19 + 56}">${spansOf(line)}</text>`).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}" role="img" aria-label="pawl code run: a progress bar, three agents with the last line of each, and the tasks finished last">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6dbe1;white-space:pre}.bold{font-weight:700}.dim{fill:#7d8794}.red{fill:#f0787a}.green{fill:#7fc98a}.yellow{fill:#e3c06a}.cyan{fill:#76c4d4}</style>
<rect width="100%" height="100%" rx="8" fill="#161b22"/>
<circle cx="20" cy="18" r="5" fill="#f0787a"/><circle cx="38" cy="18" r="5" fill="#e3c06a"/><circle cx="56" cy="18" r="5" fill="#7fc98a"/>
${text}
</svg>
`;
}

function spansOf(line: string): string {
  const style = { bold: false, dim: false, colour: "" };
  return line
    .split(/(\u001b\[[\d;?]*[a-zA-Z])/)
    .map((part) => {
      const [, codes] = /^\u001b\[([\d;]*)m$/.exec(part) ?? [];
      if (codes !== undefined) {
        for (const code of codes.split(";")) {
          if (code === "0" || code === "") Object.assign(style, { bold: false, dim: false, colour: "" });
          else if (code === "1") style.bold = true;
          else if (code === "2") style.dim = true;
          else if (code === "22") Object.assign(style, { bold: false, dim: false });
          else style.colour = COLOURS[code] ?? "";
        }
        return "";
      }
      if (part === "" || part.startsWith("\u001b")) return "";
      const names = [style.bold ? "bold" : "", style.colour || (style.dim ? "dim" : "")]
        .filter(Boolean)
        .join(" ");
      const escaped = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return names === "" ? escaped : `<tspan class="${names}">${escaped}</tspan>`;
    })
    .join("");
}
