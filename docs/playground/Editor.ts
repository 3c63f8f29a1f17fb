/** The editor of the program: a text area under highlighted lines, which wrap. */
import { createEditor } from "prism-code-editor"
import { defaultCommands, editHistory } from "prism-code-editor/commands"
import "prism-code-editor/prism/languages/typescript"

export interface Editor {
  /** Replaces the program, unless it is this one. */
  readonly show: (code: string) => void
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
    {
      language: "typescript",
      lineNumbers: false,
      wordWrap: true,
      value: code,
      onUpdate: (value) => onInput(value)
    },
    defaultCommands(),
    editHistory()
  )
  const { textarea } = editor
  textarea.setAttribute("aria-labelledby", "code")
  textarea.setAttribute("aria-describedby", "keys")
  // Before the editor, which adds a line.
  parent.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      event.stopPropagation()
      onRun()
    },
    { capture: true }
  )
  return {
    show: (code) => {
      if (editor.value !== code) editor.setOptions({ value: code })
    },
    close: () => editor.remove()
  }
}
