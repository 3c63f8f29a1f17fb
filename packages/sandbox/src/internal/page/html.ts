/**
 * HTML pages. Their headers let them load only files of the sandbox, and forbid frames of other pages.
 */
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Data from "effect/Data"

/** A piece of HTML. */
export class Html extends Data.Class<{ readonly text: string }> {}

type Part = Html | string | undefined | ReadonlyArray<Part>

/** Makes HTML of a template. Its strings are text, and are safe in an element or an attribute. */
export const markup = (literals: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html({ text: String.raw({ raw: literals }, ...parts.map(textOf)) })

const textOf = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Html) return part.text
  return typeof part === "string" ? escape(part) : part.map(textOf).join("")
}

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Headers of a page or of one of its files: what its scripts may reach, and where its forms may be sent. */
export const headers = (script = "'none'", formAction = "'none'") => ({
  "content-security-policy": [
    "default-src 'none'",
    "style-src 'self'",
    "img-src data:",
    `script-src ${script}`,
    `connect-src ${script}`,
    `form-action ${formAction}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Scripts cannot turn text into HTML.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'"
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // `no-referrer` would remove the `Origin` of forms.
  "referrer-policy": "same-origin",
  "cache-control": "no-cache"
})

/** A page without scripts, in the style of the others. */
export const page = (title: string, body: Html, status = 200, formAction?: string) =>
  HttpServerResponse.text(
    markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/page.css">
</head>
<body>
${body}
</body>
</html>
`.text,
    { status, contentType: "text/html; charset=utf-8", headers: headers("'none'", formAction) }
  )
