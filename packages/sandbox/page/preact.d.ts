export { html, render } from "htm/preact"
export * from "preact/hooks"
