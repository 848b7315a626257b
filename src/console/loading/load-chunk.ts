/**
 * Reason for a failed load: the server does not answer, the server has a newer console, or something else. In the last case
 * a reload helps: some browsers cache a failed import for as long as the page is open.
 */
export type ChunkProblem = "unreachable" | "new_version" | "failed";

export class ChunkError extends Error {
  readonly problem: ChunkProblem;
  /** Lets the next render load the chunk again. */
  readonly forget: () => void;

  constructor(problem: ChunkProblem, forget: () => void, cause: unknown) {
    super(`a chunk did not load: ${problem}`, { cause });
    this.name = "ChunkError";
    this.problem = problem;
    this.forget = forget;
  }
}

const RETRY_DELAYS_MS = [300, 1_000];
const FIRST_POLL_DELAY_MS = 1_000;
const MAX_POLL_DELAY_MS = 10_000;
const PAGE_TIMEOUT_MS = 10_000;

/** Imports a chunk; retries a failed import, and throws a ChunkError after the last retry. */
export async function loadChunk<Module>(load: () => Promise<Module>, forget: () => void): Promise<Module> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await load();
    } catch (error) {
      const problem = await findProblem();
      const delay = RETRY_DELAYS_MS[attempt];
      // Retrying is useless: the files of the older console are gone.
      if (problem === "new_version" || delay === undefined) throw new ChunkError(problem, forget, error);
      await pause(delay);
    }
  }
}

/** Polls until the server and its database answer; false if aborted before that. */
export async function whenReachable(signal: AbortSignal): Promise<boolean> {
  for (let delay = FIRST_POLL_DELAY_MS; ; delay = Math.min(2 * delay, MAX_POLL_DELAY_MS)) {
    await pause(delay);
    if (signal.aborted) return false;
    if ((await fetchText("/ready")) !== null) return !signal.aborted;
  }
}

/** File names contain a hash of their content, so a page with another main script is another version. */
async function findProblem(): Promise<ChunkProblem> {
  const page = await fetchText("/");
  if (page === null) return "unreachable";
  const script = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  return page.includes(script) ? "failed" : "new_version";
}

/** Fetches a page; null if the server does not answer. */
async function fetchText(path: string): Promise<string | null> {
  try {
    const response = await fetch(path, {
      cache: "no-store",
      headers: { accept: "text/html" },
      signal: AbortSignal.timeout(PAGE_TIMEOUT_MS),
    });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
