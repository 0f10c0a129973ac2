/* version.h - what this program is called, and how it was built. */
#pragma once

/* The release number: what a release's tag and packages have. Two names are told apart, and each use takes one of them:
 *
 *   POSED_RELEASE    where bytes are kept, compared or sent with every answer: the generator of GLB files, the Server
 *                    header, the hello of packets, entity tags, manual pages, and what posed-import says, whose
 *                    identity is that of its bytes. It stays from commit to commit.
 *   posed_version()  where somebody asks which build runs: --version, /v1/version, the log's line at start, the metric
 *                    posed_build_info, SARIF reports, pe_version(), packages. It differs with each commit.
 *
 * Whether answers are the same is neither's: ANSWER_VERSION in wire/reply/answer_version.h. .github/CONTRIBUTING.md
 * says when which number moves. */
#define POSED_RELEASE "0.2.0"

/* This build: POSED_RELEASE of a release or of a tree without .git, "0.2.0+git20261128.1a2b3c4d" of another commit;
 * deploy/version.sh decides. The programs that have it are linked with a file that the build writes; in all others
 * (tests, the importer) version.c says POSED_RELEASE, so that a commit does not link them anew. Any thread. */
const char *posed_version(void);

/* Sanitizers reserve more memory than any limit on address space and make system calls of their own. */
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

/* "release", "debug" or "sanitize", as the compiler saw it. */
#if POSED_SANITIZED
#define POSED_BUILD "sanitize"
#elif defined(__OPTIMIZE__)
#define POSED_BUILD "release"
#else
#define POSED_BUILD "debug"
#endif
