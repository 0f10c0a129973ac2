/* version.h - the version of this server: the Server header, /v1/version, --version and ETags; and how it was built. */
#pragma once

#define POSED_VERSION "0.1.0"

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
