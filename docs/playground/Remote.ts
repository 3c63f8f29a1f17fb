/** A program that runs in a worker. */
import type { Answer, Request } from "./worker.js"

export interface Remote {
  /** Answers in the order of the requests. After `stop`, or while the program never yields, it does not. */
  readonly ask: (request: Request) => Promise<Answer>
  readonly stop: () => void
}

/** Loads the client, the sandbox and the compiler before they are used. */
export const open = (): Remote => {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })
  const waiting: Array<(answer: Answer) => void> = []
  const next = (answer: Answer) => waiting.shift()?.(answer)
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => next(data))
  /** Why the worker cannot answer any more, such as because it could not be loaded. */
  let broken: Answer | undefined
  worker.addEventListener("error", ({ message }) => {
    broken = { is: "refusal", message: message || "The sandbox cannot be loaded. Reload the page." }
    while (waiting.length > 0) next(broken)
  })
  return {
    ask: (request) =>
      new Promise((resolve) => {
        if (broken !== undefined) return resolve(broken)
        waiting.push(resolve)
        worker.postMessage(request)
      }),
    stop: () => worker.terminate()
  }
}
