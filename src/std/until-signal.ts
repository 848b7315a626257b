/** Resolves at the first SIGINT or SIGTERM. The second calls `again`, or exits if there is none; the third always exits. */
export function untilSignal(again?: () => void): Promise<void> {
  return new Promise((resolve) => {
    let received = 0;
    for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 })) {
      process.on(signal, () => {
        received++;
        if (received === 1) resolve();
        else if (received === 2 && again) again();
        else process.exit(128 + number);
      });
    }
  });
}
