import { VirtualTimeScheduler } from 'rxjs';

/** Virtual time that can be looked at whenever nothing of it is running. */
export class SteppedScheduler extends VirtualTimeScheduler {
  private readonly between: () => void;

  /** @param between - called after each action */
  constructor(between: () => void) {
    super();
    this.between = between;
  }

  override flush(): void {
    for (let action = this.actions.shift(); action !== undefined; action = this.actions.shift()) {
      this.frame = action.delay;
      const error: unknown = action.execute(action.state, action.delay);
      if (error !== undefined) throw error;
      this.between();
    }
  }
}
