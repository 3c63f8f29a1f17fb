/** The editor of the program: a text area under highlighted lines, which wrap. */
import { createEditor } from "prism-code-editor"
import { addEditorHotkey, defaultCommands, editHistory } from "prism-code-editor/commands"
import "prism-code-editor/prism/languages/typescript"

export interface Editor {
  /** Replaces the program, unless it is this one, and marks a line of it as wrong. */
  readonly show: (code: string, wrongLine: number | undefined) => void
  readonly close: () => void
}

export const make = (
  parent: HTMLElement,
  code: string,
  onInput: (code: string) => void,
  onRun: () => void
): Editor => {
  const editor = createEditor(
    parent,
    { language: "typescript", lineNumbers: false, wordWrap: true, value: code, onUpdate: onInput },
    defaultCommands(),
    editHistory()
  )
  const { textarea } = editor
  textarea.setAttribute("aria-labelledby", "code")
  textarea.setAttribute("aria-describedby", "keys")
  for (const key of ["Ctrl+Enter", "Meta+Enter"]) {
    const run = () => {
      onRun()
      return true
    }
    // Before the editor's own command, which adds a line.
    addEditorHotkey(editor, key, run, 0)
  }
  return {
    show: (code, wrongLine) => {
      if (editor.value !== code) editor.setOptions({ value: code })
      for (const [number, line] of [...editor.lines].entries()) {
        line.classList.toggle("wrong", number === wrongLine)
      }
      textarea.setAttribute("aria-invalid", String(wrongLine !== undefined))
    },
    close: () => editor.remove()
  }
}
