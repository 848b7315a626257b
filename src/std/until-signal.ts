/**
 * Resolves at the first signal to stop. The second is told to whoever cares (`again`), and ends the process otherwise, as the
 * third always does.
 */
export function untilSignal(again?: () => void): Promise<void> {
  return new Promise((resolve) => {
    let heard = 0;
    for (const [signal, number] of Object.entries({ SIGINT: 2, SIGTERM: 15 })) {
      process.on(signal, () => {
        heard++;
        if (heard === 1) resolve();
        else if (heard === 2 && again) again();
        else process.exit(128 + number);
      });
    }
  });
}
