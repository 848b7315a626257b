import { fstatSync, writeSync } from "node:fs";

const POLL_INTERVAL_MS = 500;

/**
 * Calls `onClosed` when the reader of a pipe or socket has closed it, as `head -1` does. Node reports that only at the
 * next write, and a command that waits for events may have nothing to write for hours. Files and terminals have no
 * reader to watch. Does not keep the process running.
 */
export function watchReader(fd: number, onClosed: () => void): void {
  const isClosed = closedCheck(fd);
  if (isClosed === null) return;
  const timer = setInterval(() => {
    if (!isClosed()) return;
    clearInterval(timer);
    onClosed();
  }, POLL_INTERVAL_MS).unref();
}

/** Returns null if a closed reader cannot be detected: the next write fails then, as in any program. */
function closedCheck(fd: number): (() => boolean) | null {
  // Windows polls sockets only, and its pipes are not among them.
  if (process.platform === "win32") return null;
  try {
    const stats = fstatSync(fd);
    if (stats.isSocket()) return () => isClosedSocket(fd);
    return stats.isFIFO() ? pipeCheck(fd) : null;
  } catch {
    return null;
  }
}

/** An empty write to a socket fails if its peer is gone, and otherwise does nothing. An empty write to a pipe never fails. */
function isClosedSocket(fd: number): boolean {
  try {
    writeSync(fd, "");
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPIPE";
  }
}

// @types/node declares the namespace without its constructors.
declare const WebAssembly: { Memory: new (size: { initial: number }) => { buffer: ArrayBuffer } };

/** Layout of the memory that `poll_oneoff` reads and writes, from the specification of WASI preview 1. */
const SUBSCRIPTION = { clock: 0, pipe: 48 } as const;
const EVENTS = 96;
const EVENT_COUNT = 160;
const CLOCK_MONOTONIC = 1;
const TYPE_FD_READ = 1;
/** Marks the event of the pipe; that of the clock has 0. */
const PIPE_EVENT = 2n;
/** With 0, the clock would expire before the pipe is polled. */
const POLL_TIMEOUT_NS = 1_000_000n;

/**
 * Polls the writing end of a pipe. It never becomes readable, so an event for it means that the reader has closed the
 * pipe. `poll_oneoff` of WASI is the only function of Node that calls poll for any file descriptor.
 */
function pipeCheck(fd: number): () => boolean {
  const { WASI } = loadWasi();
  const wasi = new WASI({ version: "preview1", stdin: fd, stdout: fd, stderr: fd });
  const memory = new WebAssembly.Memory({ initial: 1 });
  wasi.initialize({ exports: { memory } });
  const poll = wasi.wasiImport as { poll_oneoff: (...pointers: number[]) => number };
  const view = new DataView(memory.buffer);
  view.setUint32(SUBSCRIPTION.clock + 16, CLOCK_MONOTONIC, true);
  view.setBigUint64(SUBSCRIPTION.clock + 24, POLL_TIMEOUT_NS, true);
  view.setBigUint64(SUBSCRIPTION.pipe, PIPE_EVENT, true);
  view.setUint8(SUBSCRIPTION.pipe + 8, TYPE_FD_READ);
  view.setUint32(SUBSCRIPTION.pipe + 16, 1, true);
  return () => {
    const failure = poll.poll_oneoff(SUBSCRIPTION.clock, EVENTS, 2, EVENT_COUNT);
    return (
      failure === 0 && view.getUint32(EVENT_COUNT, true) > 0 && view.getBigUint64(EVENTS, true) === PIPE_EVENT
    );
  };
}

/** Loads the module without its warning about being experimental, which would be printed to standard error. */
function loadWasi() {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:wasi");
  } finally {
    process.emitWarning = emitWarning;
  }
}
