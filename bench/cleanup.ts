/** Runs clean-up steps once, the last one first. A step that fails is logged and does not stop the others. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private done: Promise<void> | undefined;

  get hasStarted(): boolean {
    return this.done !== undefined;
  }

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  run(): Promise<void> {
    return (this.done ??= this.runSteps());
  }

  private async runSteps(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      await step().catch((error: unknown) => {
        console.error(error);
      });
    }
  }
}
