/* version.h - the name and version of this program, and how it was built. */
#pragma once

/* The release number, as a release's tag and packages have it. There are two names for a version, and each use takes
 * one of them:
 *
 *   POSED_RELEASE    where bytes are kept, compared or sent with every answer: the generator of GLB files, the Server
 *                    header, the hello of packets, entity tags, manual pages, and the version that posed-import prints,
 *                    because its bytes identify it. It stays the same from commit to commit.
 *   posed_version()  where somebody asks which build runs: --version, /v1/version, the log's line at start, the metric
 *                    posed_build_info, SARIF reports, pe_version(), packages. It differs with each commit.
 *
 * Neither says whether answers are the same. ANSWER_VERSION in wire/reply/answer_version.h does.
 * .github/CONTRIBUTING.md says when each number changes. */
#define POSED_RELEASE "0.2.0"

/* Names this build: POSED_RELEASE for a release or a tree without .git, "0.2.0+git20261128.142035.1a2b3c4d" for another
 * commit. deploy/version.sh decides. Programs that print it are linked with a file that the build writes. In all others
 * (tests, the importer) version.c returns POSED_RELEASE, so that a commit does not relink them. Any thread. */
const char *posed_version(void);

/* Sanitizers reserve more memory than any limit on address space allows, and make system calls of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POSED_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define POSED_SANITIZED 1
#endif
#endif
#ifndef POSED_SANITIZED
#define POSED_SANITIZED 0
#endif

/* "release", "debug" or "sanitize", depending on the compiler's options. */
#if POSED_SANITIZED
#define POSED_BUILD "sanitize"
#elif defined(__OPTIMIZE__)
#define POSED_BUILD "release"
#else
#define POSED_BUILD "debug"
#endif
