/** What must be undone whatever happens, the last first; once. */
export class TidyUp {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private done: Promise<void> | undefined;

  get hasBegun(): boolean {
    return this.done !== undefined;
  }

  later(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  now(): Promise<void> {
    return (this.done ??= this.work());
  }

  private async work(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      await step().catch((error: unknown) => {
        console.error(error);
      });
    }
  }
}
