import type { Profiled } from "../calls/profile.js"
import type { Results } from "../calls/run.js"
import type { Decoded } from "../decode/Decoded.js"
import type { Sizes } from "../size/run.js"
import type { Held } from "../waits/Held.js"

/** The measurements. Parts that did not run are absent. */
export interface Report {
  readonly calls?: Results
  readonly profiles?: ReadonlyArray<Profiled>
  readonly decode?: ReadonlyArray<Decoded>
  readonly size?: Sizes
  readonly waits?: ReadonlyArray<Held>
}
