interface ImportMeta {
  /** Files as text, by their paths. */
  readonly glob: (
    pattern: string,
    options: { readonly eager: true; readonly query: "?raw"; readonly import: "default" }
  ) => Readonly<Record<string, string>>
}
