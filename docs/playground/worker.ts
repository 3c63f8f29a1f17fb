/** Runs programs in a thread of its own, so that the page can stop one that never yields. */
import type { Course, Run } from "./Run.js"
import { start } from "./Run.js"

export type Request =
  | { readonly is: "start"; readonly code: string }
  | { readonly is: "pass"; readonly millis: number }
  | { readonly is: "step" }

/** The run after a request, or why there is none. */
export type Answer =
  | { readonly is: "course"; readonly course: Course }
  | { readonly is: "refusal"; readonly message: string }

let run: Run | undefined

const answer = async (request: Request): Promise<Answer> => {
  try {
    if (request.is === "start") run = start(request.code)
    else if (request.is === "pass") await run?.pass(request.millis)
    else await run?.step()
    if (run === undefined) throw new Error("Nothing runs.")
    return { is: "course", course: run.course() }
  } catch (error) {
    return { is: "refusal", message: error instanceof Error ? error.message : String(error) }
  }
}

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  void answer(data).then((answered) => postMessage(answered))
})
