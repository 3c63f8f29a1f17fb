"use strict"

/** Sorts names: pnpm writes the dependencies in the order in which it has read their versions. */
const sorted = (names) =>
  Object.fromEntries(Object.entries(names).sort(([a], [b]) => (a < b ? -1 : 1)))

/** GitHub Actions knows the address of the repository, which npm's provenance requires. */
const repository = ({ GITHUB_REPOSITORY, GITHUB_SERVER_URL }, name) =>
  GITHUB_REPOSITORY === undefined
    ? {}
    : {
        repository: {
          type: "git",
          url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`,
          directory: name.replace("@manilla/", "packages/")
        }
      }

/** The manifest in a tarball: without what only this repository needs, and the same in each build. */
const beforePacking = (manifest) => ({
  ...manifest,
  ...repository(process.env, manifest.name),
  devDependencies: undefined,
  dependencies: sorted(manifest.dependencies ?? {})
})

module.exports = { hooks: { beforePacking } }
