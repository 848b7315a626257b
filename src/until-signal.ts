/** Resolves at the first signal to stop; at a second one the process ends at once, whatever is under way. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let heard = false;
    for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 })) {
      process.on(signal, () => {
        if (heard) process.exit(128 + number);
        heard = true;
        resolve();
      });
    }
  });
}
